# Cuts the power of a file system under working tools: an ext4 in a file, shut down without its
# caches, mounted again.

# power_cut DIR: EXT4_IOC_SHUTDOWN, without writing the log.
power_cut() {
  perl -e 'open my $d, "<", $ARGV[0] or die; my $f = pack "L", 2; ioctl $d, 0x8004587d, $f or die' "$1"
}

power_rounds() {
  local round rounds key lost image=$scratch/disk.img
  truncate -s 400M "$image" && mkfs.ext4 -q -F "$image" || return
  mkdir -p disk
  mount -o loop "$image" disk 2>/dev/null || { skip "power: no loop mounts here" && return; }
  mounts+=("$PWD/disk")
  credit-store init --store disk/store --policy policy.json >/dev/null || fail "power: init"
  : >acknowledged
  rounds=$((${quick:+4}+0))
  ((rounds)) || rounds=40
  for ((round = 1; round <= rounds; round++)); do
    ((cases += 1))
    # Single charges, and a stream of batches.
    for ((key = 1; ; key++)); do
      credit-charge --store disk/store --account one --key "$round-$key" --model unit --units 1 \
        2>/dev/null || break
    done >>acknowledged &
    charges "r$round-" 60000 many | credit-charge --store disk/store >stream 2>/dev/null &
    sleep "0.$((RANDOM % 3))$((RANDOM % 10))5"
    # A sync during the shutdown of ext4 can succeed in vain, so later acknowledgements
    # are not checked against the store.
    cat acknowledged stream >promised
    power_cut disk || fail "power: no shutdown"
    wait
    umount disk && mount -o loop "$image" disk || { fail "power: mount again" && return; }
    verified disk/store "power, round $round, before anything else"
    credit-balance --store disk/store --account one >/dev/null 2>errors || fail "power: $(<errors)"
    credit-charge --store disk/store --account one --key "after-$round" --model unit --units 1 \
      >/dev/null 2>errors || fail "power, round $round: $(<errors)"
    verified disk/store "power, round $round"
    ids <disk/store/journal.jsonl >kept
    [[ -z $(uniq -d kept) ]] || fail "power, round $round: charged twice"
    lost=$(ids <promised | comm -23 - kept)
    [[ -z $lost ]] || fail "power, round $round: lost $lost"
    # What was acknowledged in vain is forgotten.
    grep -Ff kept acknowledged >still && mv still acknowledged
  done
  umount disk
}

if [[ $(id -u) == 0 ]] && command -v mkfs.ext4 >/dev/null; then
  power_rounds
else
  skip "power: not root, or no mkfs.ext4"
fi
