#!/bin/bash
# Seals a store night by night, and finds books that were written again.
. "$(dirname "$0")/../qa/harness.bash"
store <<'JSON'
{"starterCredits": 1000, "clock": "simulated", "models": [{"id": "unit", "creditsPerUnit": 1}]}
JSON
seals=$folder/seals
mkdir "$seals"

# day KEY UNITS: a day's charge, and the night's seal.
day() {
  run credit-charge --account alice --key "$1" --model unit --units "$2"
  run "$here/nightly" "$seals"
  later 1d
}

at 2026-03-01T23:00:00Z

if criterion 'Each night adds a seal and a signature' openssl version; then
  openssl genpkey -algorithm ed25519 -out "$seals/key.pem" 2>/dev/null
  run credit-account --account alice
  day k1 10
  day k2 20
  day k3 30
  run cat "$seals/seals.ndjson"
  expect '"records":2' '"records":3' '"records":4'
  run ls "$seals"
  expect 2026-03-01.sig 2026-03-02.sig 2026-03-03.sig

  criterion 'All seals hold, and the signature is that of the chain'
  run credit-store verify --seal "$seals/seals.ndjson"
  expect '"holds":true}' '"ok":true'
  expect_no '"holds":false'
  run openssl pkeyutl -verify -rawin -inkey "$seals/key.pem" -in "$seals/seals.ndjson" \
    -sigfile "$seals/2026-03-03.sig"

  criterion 'A charge that somebody took out is missed, though the books are sound'
  cp -r store forged
  sed '/"key":"k2"/s/20/21/' store/journal.jsonl >forged/journal.jsonl
  run credit-store rebuild --store forged --drop-damaged dropped
  run credit-store verify --store forged
  expect '"ok":true'
  refuse 70 credit-store verify --store forged --seal "$seals/seals.ndjson"
  # The seal before the change holds still, so that the day is known.
  expect '"records":2,' '"holds":true}' '"records":3,' '"holds":false}' '"records":4,'

  criterion 'Nothing is sealed after that'
  export CREDIT_STORE=$folder/forged
  refuse 70 "$here/nightly" "$seals"
  run wc -l <"$seals/seals.ndjson"
  expect 3
  export CREDIT_STORE=$folder/store

  criterion 'A seal that was changed has another signature'
  sed 's/"records":3/"records":5/' "$seals/seals.ndjson" >forged.ndjson
  refuse 1 openssl pkeyutl -verify -rawin -inkey "$seals/key.pem" -in forged.ndjson \
    -sigfile "$seals/2026-03-03.sig"
fi

done_testing
