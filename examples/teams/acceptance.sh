#!/bin/bash
# A company with teams, an intern's key, an agent's session, and mails that are sent once.
. "$(dirname "$0")/../qa/harness.bash"
PATH=$here:$folder/bin:$PATH
mkdir bin

store <"$here/policy.json"

section 'A company with two teams'

criterion 'It is set up in a few lines, and once more changes nothing'
setup.sh >/dev/null
records=$(credit-store info --get records)
setup.sh >/dev/null
expect_equal "$(credit-store info --get records)" "$records"
expect_equal "$(credit-balance --account ana --get balance,available,parent,payer)" $'0\t500\tresearch\tacme'
expect_equal "$(credit-balance --account research --children --get account | tr '\n' ' ')" 'ana ben intern-key '

criterion 'A member spends the credits of the company, at most 500 a day'
expect_equal "$(credit-charge --account ana --key a1 --model unit --units 450 --get paidBy.0.account,creditsCharged)" \
  $'acme\t450'
refuse 14 credit-charge --account ana --key a2 --model unit --units 51
expect_equal "$(credit-balance --account acme --get balance)" 99550
expect_equal "$(credit-balance --account research --get limits.0.used)" 450

criterion "An intern's key stops at its day, its total and its models"
expect_equal "$(credit-charge --account intern-key --key i1 --model gpu-large --units 2 --get creditsCharged)" 20
refuse 14 credit-authorize --account intern-key --model gpu-large
run credit-authorize --account intern-key --model unit
refuse 14 credit-charge --account intern-key --key i2 --model unit --units 81

criterion "An agent's session is a child account that may spend 30 in all"
credit-account --account session-7 --parent ben --limit total=30 >/dev/null
expect_equal "$(credit-charge --account session-7 --key s1 --model unit --units 30 --get limitsCrossed.0.limit)" total
refuse 14 credit-authorize --account session-7
run credit-authorize --account ben
expect_equal "$(credit-balance --account ben --get limits.0.used)" 30

if criterion 'Eight at once send the mail of a share of a limit once' command -v jq; then
  printf '#!/bin/sh\ncat >/dev/null; printf "%%s\\n" "$*" >>"%s/mails"\n' "$folder" >bin/mail
  chmod 755 bin/mail
  credit-charge --account cai --key c1 --model unit --units 420 >receipt
  for number in 1 2 3 4 5 6 7 8; do limit-mail <receipt & done
  wait
  credit-charge --account cai --key c1 --model unit --units 420 | limit-mail
  expect_equal "$(sort mails)" $'-s cai: 50 % of limit day root\n-s cai: 80 % of limit day root'

  criterion 'Lines of the history have the same crossings, and a correction has its own'
  credit-history --account cai --limit 0 | limit-mail
  expect_equal "$(grep -c . mails)" 2
  credit-charge --account cai --key c1 --model unit --units 120 --amend | limit-mail
  expect_equal "$(grep -c . mails)" 2
  credit-charge --account cai --key c1 --model unit --units 420 --amend | limit-mail
  credit-history --account cai --limit 0 | limit-mail
  expect_equal "$(grep -c . mails)" 4
fi

criterion 'The books are sound, and sums over all accounts are right'
expect_equal "$(credit-store verify --get ok)" true
expect_equal "$(credit-balance --all --total --get balance)" $((100000 - 450 - 20 - 30 - 420))

done_testing
