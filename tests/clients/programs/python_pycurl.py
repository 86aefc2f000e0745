import os, sys, pycurl
curl = pycurl.Curl()
curl.setopt(pycurl.URL, sys.argv[1])
curl.setopt(pycurl.TIMEOUT, int(sys.argv[2]))
curl.setopt(pycurl.CAINFO, os.environ["SSL_CERT_FILE"])
try:
    print(curl.perform_rs(), end="")
except pycurl.error as error:
    sys.exit(error.args[0])
