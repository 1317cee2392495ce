# The App Store for QA scripts: transactions in its format, and a throw-away App
# Store that signs them, made with openssl.

# base64url: standard input, as a JWS has it.
base64url() { base64 | tr '+/' '-_' | tr -d '=\n'; }

# jws PAYLOAD: a transaction as StoreKit's local testing in Xcode sends it, with an invalid signature.
jws() {
  local part
  for part in '{"alg":"ES256","typ":"JWT"}' "$1" "$(printf '%064d' 0)"; do
    printf '%s' "$part" | base64url
    printf .
  done | sed 's/\.$//'
}

# app_store: makes the certificates of two App Stores, `apple` and `other`, and a store `sandbox` that has
# the scenario's policy, but verifies signatures, and trusts the root of `apple` alone.
app_store() {
  local store
  cat >openssl.cnf <<'END'
[req]
distinguished_name = name
[name]
[root]
basicConstraints = critical, CA:TRUE
keyUsage = critical, keyCertSign, cRLSign
subjectKeyIdentifier = hash
[intermediate]
basicConstraints = critical, CA:TRUE, pathlen:0
keyUsage = critical, keyCertSign, cRLSign
subjectKeyIdentifier = hash
authorityKeyIdentifier = keyid
1.2.840.113635.100.6.2.1 = ASN1:NULL
[leaf]
basicConstraints = critical, CA:FALSE
keyUsage = critical, digitalSignature
subjectKeyIdentifier = hash
authorityKeyIdentifier = keyid
1.2.840.113635.100.6.11.1 = ASN1:NULL
END
  for store in apple other; do
    certificate $store root
    certificate $store intermediate root
    certificate $store leaf intermediate
  done
  sed 's|"environment": "Xcode"|"environment": "Sandbox", "rootCertificate": "'"$PWD"'/apple.root.pem"|' \
    policy.json >sandbox.json
  run credit-store init --store sandbox --policy sandbox.json
}

# certificate STORE NAME [ISSUER]: makes a key and a certificate, signed by itself if no issuer is named.
certificate() {
  local file=$1.$2 sign
  sign=(-signkey "$file.key")
  if [[ ${3-} ]]; then sign=(-CA "$1.$3.pem" -CAkey "$1.$3.key"); fi
  run openssl ecparam -name prime256v1 -genkey -noout -out "$file.key"
  run openssl req -new -config openssl.cnf -subj "/CN=$file" -key "$file.key" -out "$file.csr"
  run openssl x509 -req -in "$file.csr" "${sign[@]}" -set_serial $RANDOM -days 2 -sha256 \
    -extfile openssl.cnf -extensions "$2" -out "$file.pem"
}

# sandboxed PAYLOAD: a transaction of Xcode as one of the Sandbox, signed now.
sandboxed() {
  local now
  now=$(date +%s)000
  sed -e 's/"environment":"Xcode"/"environment":"Sandbox"/' \
    -e 's/"signedDate":[0-9]*/"signedDate":'"$now"'/' <<<"$1"
}

# signed PAYLOAD [STORE]: a transaction as the App Store's Sandbox sends it, really signed.
signed() {
  local store=${2-apple} name chain='' input
  for name in leaf intermediate root; do
    chain+=,\"$(sed '/-----/d' "$store.$name.pem" | tr -d '\n')\"
  done
  input=$(printf '{"alg":"ES256","x5c":[%s]}' "${chain#,}" | base64url).$(sandboxed "$1" | base64url)
  printf '%s.%s' "$input" "$(signature "$store" "$input")"
}

# signature STORE TEXT: the text's ES256 signature, both numbers of 32 bytes one after the other.
signature() {
  local number
  printf '%s' "$2" | openssl dgst -sha256 -sign "$1.leaf.key" | openssl asn1parse -inform DER |
    sed -n 's/.*INTEGER *://p' |
    while read -r number; do
      number=$(printf '%64s' "$number" | tr ' ' 0)
      printf '%b' "$(sed 's/../\\x&/g' <<<"$number")"
    done | base64url
}

# forged PAYLOAD: a transaction in the place of another that was really signed.
forged() {
  local genuine
  genuine=$(signed '{}')
  printf '%s.%s.%s' "${genuine%%.*}" "$(sandboxed "$1" | base64url)" "${genuine##*.}"
}

# refuse_fakes ACCOUNT PAYLOAD ELSEWHERE [FORM ARGUMENT...]: a transaction that is unsigned, forged or signed
# by another App Store is refused, and so is ELSEWHERE, the same of another app. FORM turns one into a request.
refuse_fakes() {
  local fake form=${4-echo}
  for fake in "$(jws "$2")" "$(forged "$2")" "$(signed "$2" other)" "$(signed "$3")"; do
    refuse 13 credit-topup --store sandbox --storekit --account "$1" < <("$form" "$fake" "${@:5}")
    expect '"code":"unverified_transaction","status":400'
  done
}
