"""Programs that fetch a page."""
from client import WEB, client

AFTER = ((r"after \d+ ms", "after N ms"),)  # how long it took, says curl

client("curl", "curl -sS {url}", "curl -sS --max-time 1 {url}", "curl", WEB, quick=True,
       env={"CURL_CA_BUNDLE": "{cert}"}, blur=AFTER, remark="HTTP/2 over TLS")
client("curl, HTTP/1.1", "curl -sS --http1.1 {url}", "curl -sS --http1.1 --max-time 1 {url}", "curl", WEB,
       quick=True, env={"CURL_CA_BUNDLE": "{cert}"}, blur=AFTER)
client("wget", "wget -q -O - --tries=1 --ca-certificate={cert} {url}",
       "wget -q -O - --tries=1 --timeout=1 --ca-certificate={cert} {url}", "wget", WEB, quick=True)
