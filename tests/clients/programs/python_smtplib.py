import smtplib, sys
host, port, seconds = sys.argv[1:]
with smtplib.SMTP(host, int(port), local_hostname="here", timeout=float(seconds)) as post:
    post.sendmail("a@here", ["b@there"], "Subject: hello\r\n\r\nhello\r\n")
print("sent")
