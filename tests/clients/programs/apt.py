"""apt.py URL FILE SECONDS: speaks to apt's method as apt does, and says what came of it."""
import os, subprocess, sys
url, file, seconds = sys.argv[1:]
if os.path.exists(file):
    os.unlink(file)
method = subprocess.Popen(["/usr/lib/apt/methods/http"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
method.stdin.write(f"601 Configuration\nConfig-Item: Acquire::http::Timeout={seconds}\n\n"
                   f"600 URI Acquire\nURI: {url}\nFilename: {file}\n\n")
method.stdin.flush()
for line in method.stdout:
    if line.startswith(("201", "400")):
        print(line, end="")
        break
method.stdin.close()
method.wait()
