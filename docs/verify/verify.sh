#!/bin/sh
# Checks an evidence bundle with no software of the product: sh verify.sh FILE.zip KEYS
# KEYS: public keys got elsewhere, one name+id+base64 a line. Needs a POSIX shell, openssl 3, GNU coreutils, sed, grep, unzip.
set -euf; export LC_ALL=C; t=$(mktemp -d); trap 'rm -rf "$t"' EXIT
bad() { echo "DOES NOT HOLD: $*" >&2; exit 1; }
[ $# = 2 ] && [ -f "$1" ] && [ -f "$2" ] || { echo 'usage: sh verify.sh FILE.zip KEYS' >&2; exit 2; }
hash() { sha256sum | cut -c1-64; }
unhex() { tr a-f A-F | basenc --base16 -d; }
climb() { # leaf, place, size, path: the root that an audit path leads to (RFC 9162, 2.1.3.2)
  case $2$3 in *[!0-9]*) return ;; esac; h=$1 n=$2 m=$(($3 - 1)); shift 3; [ "$n" -le "$m" ] || return
  for s; do [ "$m" -gt 0 ] || return; pair=$h$s
    if [ $((n & 1)) = 1 ] || [ "$n" = "$m" ]; then pair=$s$h; while [ $((n & 1)) = 0 ] && [ "$n" != 0 ]; do n=$((n / 2)) m=$((m / 2)); done; fi
    h=$(printf '01%s' "$pair" | unhex | hash) n=$((n / 2)) m=$((m / 2)); done; [ "$m" != 0 ] || echo "$h"; }
# The archive: nothing but the files of its list, each with its hash.
unzip -Z "$1" | grep -q '^l' && bad 'a link in the archive'; unzip -Z1 "$1" | sort >"$t/names"; mkdir "$t/b"; keys=$(realpath "$2")
unzip -qqo "$1" -d "$t/b" && cd "$t/b" && sha256sum --strict --quiet -c manifest.sha256 >&2 || bad 'a file against its hash'
{ cut -c67- manifest.sha256; echo manifest.sha256; } | sort | cmp -s - "$t/names" || bad 'a file too many or too few'
[ "$(sed -n 's/.*  log\///p' manifest.sha256 | tr '\n' ' ')" = 'acknowledgements.txt checkpoint.note heads.json heads.txt keys.txt proofs.txt records.jsonl ' ] || bad 'a file too many or too few'
# The checkpoint: signed by a key of the log that is in KEYS, cosigned by every witness whose key is there.
sed -n '/^$/q;p' log/checkpoint.note >"$t/text"; sed '1,/^$/d' log/checkpoint.note >"$t/lines"; : >"$t/seen"
while read -r _ who line; do printf %s "$line" | base64 -d >"$t/sig"; k=$who+$(head -c4 "$t/sig" | od -An -tx1 | tr -d ' \n')+
  key=$(grep -F -- "$k" "$keys") || continue; printf %s "${key#"$k"}" | base64 -d | tail -c +2 >"$t/key"; skip=5 said=$t/text
  case ${key#"$k"} in B*) skip=13 said=$t/cosigned; { printf 'cosignature/v1\ntime %s\n' "$(od -An -tu8 --endian=big -j4 -N8 "$t/sig" | tr -d ' ')"; cat "$t/text"; } >"$said" ;; esac
  { printf 302a300506032b6570032100 | unhex; cat "$t/key"; } >"$t/der"; tail -c +$skip "$t/sig" >"$t/raw"; echo "$key" >>"$t/seen"
  openssl pkeyutl -verify -pubin -keyform DER -inkey "$t/der" -rawin -in "$said" -sigfile "$t/raw" >/dev/null 2>&1 || bad "the signature of $who"; done <"$t/lines"
grep -q '^[^+]*+[^+]*+A' "$t/seen" || bad 'no signature by a key in KEYS'; grep '^[^+]*+[^+]*+B' "$keys" | grep -vxFf "$t/seen" >&2 && bad 'no cosignature by this witness'
# The records: each follows the one before and is in the log; none is left out, as the log's own record of all heads says.
{ read -r origin; read -r size; read -r root; } <"$t/text"; root=$(printf %s "$root" | base64 -d | od -An -v -tx1 | tr -d ' \n'); exec 3<log/proofs.txt
case=$(sed -n 's/^{"case":"\([^"]*\)".*/\1/p' bundle.json) count=0 leaf=$(printf %064d 0); tr -d '\000-\011\013-\037' <log/records.jsonl | cmp -s - log/records.jsonl || bad 'a control character'
while IFS= read -r line; do record=$line; read -r at path <&3 || bad "no proof of record $count"
  case $record in *"\"case\":\"$case\",\"cseq\":$count,"*"\"prev\":\"$leaf\","*) ;; *) bad "record $count does not follow the one before" ;; esac
  leaf=$(printf '\0%s' "$record" | hash); [ "$(climb "$leaf" "$at" "$size" $path)" = "$root" ] || bad "record $count is not in the log"; count=$((count + 1)); done <log/records.jsonl
{ read -r at path; read -r place cases branch; } <log/heads.txt; head=$(cat log/heads.json); heads=$(climb "$(printf '\0%s %s %s\n' "$case" $count "$leaf" | hash)" "$place" "$cases" $branch)
[ "$at" = $((size - 1)) ] && [ "$(climb "$(printf '\0%s' "$head" | hash)" "$at" "$size" $path)" = "$root" ] || bad 'the record of heads'
case $head in *'"kind":"log.heads"'*"\"inline\":{\"cases\":$cases,\"root\":\"$heads\"}"*) ;; *) bad 'records are left out' ;; esac
# The contents: the last record names them all, and records name each document, the decision and the trace.
case $record in *'"kind":"evidence.exported"'*"\"commit\":\"sha256:$(hash <contents.sha256)\""*) ;; *) bad 'the contents are not those that were recorded' ;; esac
grep -v -e '  log/' -e '  contents.sha256$' manifest.sha256 | cmp -s - contents.sha256 || bad 'a file too many or too few'
while read -r commit salt file; do found=$({ [ "$salt" = - ] || printf '02%s' "$salt" | unhex; cat "$file"; } | hash); [ "$commit" = "sha256:$found" ] && grep -qF "$commit" log/records.jsonl run/sources.json || bad "$file"; done <commitments.txt
echo "HOLDS: log $origin, checkpoint of $size records, case $case with $count records"
