# Cuts the power of a file system under working tools: an ext4 in a file, shut down without its
# caches, mounted again.

# power_cut DIR: EXT4_IOC_SHUTDOWN, without writing the log.
power_cut() {
  perl -e 'open my $d, "<", $ARGV[0] or die; my $f = pack "L", 2; ioctl $d, 0x8004587d, $f or die' "$1"
}

power_rounds() {
  local round key image=$scratch/disk.img
  truncate -s 48M "$image" && mkfs.ext4 -q -F "$image" || return
  mkdir -p disk
  mount -o loop "$image" disk 2>/dev/null || { skip "power: no loop mounts here" && return; }
  mounts+=("$PWD/disk")
  credit-store init --store disk/store --policy policy.json >/dev/null || fail "power: init"
  : >acknowledged
  for ((round = 1; round <= ${quick:+4}+0 || (round <= 40 && ! 0${quick:+1}); round++)); do
    ((cases += 1))
    # Single charges, and a stream of batches.
    for ((key = 1; ; key++)); do
      credit-charge --store disk/store --account one --key "$round-$key" --model unit --units 1 \
        --get authorization.id 2>/dev/null || break
    done >>acknowledged &
    (charges "r$round-" 3000 many | sed 's/$/ /' | credit-charge --store disk/store 2>/dev/null |
      grep '}$' | grep -v '"error"' | sed -E 's/.*"authorization":\{"id":"([^"]*)".*/\1/') \
      >>acknowledged.stream &
    sleep 0.$((RANDOM % 4 + 1))$((RANDOM % 10))
    power_cut disk || fail "power: no shutdown"
    wait
    umount disk && mount -o loop "$image" disk || { fail "power: mount again" && return; }
    credit-balance --store disk/store --account one >/dev/null 2>errors || fail "power: $(<errors)"
    credit-charge --store disk/store --account one --key "after-$round" --model unit --units 1 \
      >/dev/null 2>errors || fail "power, round $round: $(<errors)"
    verified disk/store "power, round $round"
    sort -u acknowledged acknowledged.stream | grep -E '^[0-9a-f-]{36}$' >promised
    grep -o '"authorization":{"id":"[^"]*"' disk/store/journal.jsonl | cut -d '"' -f 6 | sort >kept
    [[ -z $(uniq -d kept) ]] || fail "power, round $round: charged twice"
    [[ -z $(comm -23 promised kept) ]] ||
      fail "power, round $round: lost $(comm -23 promised kept | wc -l) of $(wc -l <promised): $(comm -23 promised kept | head -n 2 | while read -r id; do grep -n "$id" acknowledged acknowledged.stream; done)"
  done
  umount disk
}

if [[ $(id -u) == 0 ]] && command -v mkfs.ext4 >/dev/null; then
  power_rounds
else
  skip "power: not root, or no mkfs.ext4"
fi
