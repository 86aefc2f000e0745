#!/bin/sh
# A nightly job as there are thousands: a new curl for each article, and nobody who thought of what
# happens when the shop does not answer. By itself it then waits ARTICLES times TIMEOUT seconds.
#
#   interlock run --set minimum_number_of_calls=5 examples/nightly.sh
#
# gives up in 5 times TIMEOUT: all curls share the breakers of the registry `nightly.sh`.
set -u
: "${SHOP:=http://shop.internal}" "${ARTICLES:=20}" "${TIMEOUT:=10}"
updated=0 failed=0

article=1
while [ "$article" -le "$ARTICLES" ]; do
	if curl --silent --fail --max-time "$TIMEOUT" --output /dev/null "$SHOP/articles/$article"; then
		updated=$((updated + 1))
	else
		failed=$((failed + 1))
	fi
	article=$((article + 1))
done

echo "$updated articles updated, $failed left for tomorrow"
[ "$failed" -eq 0 ]
