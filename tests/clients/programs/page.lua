local http = require("socket.http")
http.TIMEOUT = tonumber(arg[2])
local body, code = http.request(arg[1])
if not body then print(code) os.exit(1) end
io.write(body)
