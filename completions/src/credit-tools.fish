# Completions for fish: put this file into ~/.config/fish/conf.d.
# @notice@

function __credit_zones
  set -l files /usr/share/zoneinfo/*/* /usr/share/zoneinfo/*/*/*
  string replace -rf '^/usr/share/zoneinfo/([A-Z].*)' '$1' $files
end

# names that the store knows: that of the line, or else the usual one. A variable that the store
# begins with has its value; nothing is run.
function __credit_names
  set -l words (commandline -opc)
  set -l store
  for i in (seq (count $words))
    switch $words[$i]
      case --store
        set store $words[(math $i + 1)]
      case '--store=*'
        set store (string replace -- --store= '' $words[$i])
    end
  end
  set -l parts (string match -r -- '^\$\{?([A-Za-z_][A-Za-z0-9_]*)\}?(/.*)?$' "$store")
  if set -q parts[2]
    set -l name $parts[2]
    set store "$$name$parts[3]"
  else if string match -qr -- '^~(/|$)' "$store"
    set store (string replace -- '~' $HOME "$store")
  end
  # the current token has its quotes and backslashes still
  set -l begun (commandline -ct | string unescape | string replace -r -- '^--[a-z-]+=' '' \
    | string collect)
  command credit complete $argv[1] "$begun" "$store" 2>/dev/null
end

@flags@

# credit TOOL completes like credit-TOOL
function __credit_rest
  set -l words (commandline -opc)
  contains -- $words[2] help schema; and return
  set -l rest (string escape -- $words[3..-1]) (commandline -ct)
  complete -C "credit-$words[2] $rest"
end
complete -c credit -f -n 'test (count (commandline -opc)) -gt 1' -a '(__credit_rest)'
complete -c credit -f -n 'test (count (commandline -opc)) -eq 1' -a help -d 'Print the help of a tool'
complete -c credit -f -n 'test (count (commandline -opc)) -eq 1' -a schema -d 'Print a JSON Schema'
complete -c credit -f -n 'test "$(commandline -opc | string join " ")" = "credit help"' -a '@tool-words@'
complete -c credit -f -n 'test "$(commandline -opc | string join " ")" = "credit schema"' -a '@schemas@'
complete -c credit -f -n 'test "$(commandline -opc | string join " ")" = "credit schema request"' -a '@request-tools@'
complete -c credit -f -n 'test "$(commandline -opc | string join " ")" = "credit schema result"' -a '@result-tools@'
@tools@
