"""Messages and remote calls: MQTT, AMQP, JSON lines, SSH, mail, FTP."""
import protocol_amqp
import protocol_ftp
import protocol_jsonlines
import protocol_mail
import protocol_mqtt
import protocol_ssh
from conversation import Expect
from rows_5_databases import (
    CUT,
    GREETER_PATIENCE_S,
    LATE_IN_LOOP,
    LOOP,
    MUTE,
    NO_GREETING,
    POOL,
    POOL_IN_LOOP,
    weathers,
)
from script import Scripted

STREAM = Expect(1, why="after the first answer nobody outside can tell what asks")
STREAM_SILENCE = Expect(1, "SUCCESS", False, STREAM.why)
STREAMS = {
    "pauses": True,
    "expect": weathers(healthy=STREAM, late=STREAM_SILENCE, cut=STREAM_SILENCE),
}
GREETER = {"patience_s": GREETER_PATIENCE_S, "expect": weathers(mute=NO_GREETING)}
GREETER_IN_LOOP = {
    "patience_s": GREETER_PATIENCE_S,
    "primed": True,
    "expect": weathers(mute=NO_GREETING, late=LATE_IN_LOOP),
}
PUBLISHES = Expect(3, why="what is published, and a heartbeat, is answered by whatever comes next")
CONSUMES = Expect(1, why="an acknowledgement is answered by whatever comes next")

ROWS = [
    Scripted("mqtt", "MQTT: subscribe, publish, two later pings (python)",
             peer=protocol_mqtt.server, client="protocol_mqtt.blocking_session", **STREAMS),
    Scripted("mqtt loop", "MQTT: subscribe, publish, two later pings (asyncio)",
             peer=protocol_mqtt.server, client="protocol_mqtt.looping_session", primed=True,
             **STREAMS),
    Scripted("amqp publisher", "AMQP: publish, two later heartbeats, publish, close",
             peer=protocol_amqp.server, client="protocol_amqp.blocking_publisher", pauses=True,
             expect={"healthy": PUBLISHES, "mute": MUTE}),
    Scripted("amqp publisher loop", "AMQP: publish, two later heartbeats, publish, close (asyncio)",
             peer=protocol_amqp.server, client="protocol_amqp.looping_publisher", pauses=True,
             primed=True, expect={"healthy": PUBLISHES, "mute": MUTE}),
    Scripted("amqp consumer", "AMQP: consume, acknowledge, wait in vain, a heartbeat, close",
             peer=protocol_amqp.server, client="protocol_amqp.blocking_consumer", pauses=True,
             expect=weathers(healthy=CONSUMES)),
    Scripted("amqp consumer loop",
             "AMQP: consume, acknowledge, wait in vain, a heartbeat, close (asyncio)",
             peer=protocol_amqp.server, client="protocol_amqp.looping_consumer", pauses=True,
             primed=True, expect=weathers(healthy=CONSUMES, late=LATE_IN_LOOP)),
    Scripted("json lines", "JSON-RPC, a line a message: four requests (python)",
             peer=protocol_jsonlines.server, client="protocol_jsonlines.blocking_session",
             expect=weathers()),
    Scripted("json lines loop", "JSON-RPC, a line a message: four requests (asyncio)",
             peer=protocol_jsonlines.server, client="protocol_jsonlines.looping_session", **LOOP),
    Scripted("ssh", "SSH: banners, key exchange, log-in, a command and two later ones",
             peer=protocol_ssh.server, client="protocol_ssh.blocking_session", **STREAMS),
    Scripted("ssh loop",
             "SSH: banners, key exchange, log-in, a command and two later ones (asyncio)",
             peer=protocol_ssh.server, client="protocol_ssh.looping_session", primed=True, **STREAMS),
    Scripted("smtp", "SMTP: greeting, EHLO, a letter, QUIT (smtplib)",
             peer=protocol_mail.smtp_server, client="protocol_mail.smtp", **GREETER),
    Scripted("smtp loop", "SMTP: greeting, EHLO, a letter, QUIT (asyncio)",
             peer=protocol_mail.smtp_server, client="protocol_mail.smtp_looping",
             **GREETER_IN_LOOP),
    Scripted("smtp kept", "SMTP: two letters, the second one later, of three commands and its text",
             peer=protocol_mail.smtp_server, client="protocol_mail.smtp_kept", pauses=True,
             expect={"healthy": Expect(6, why="outside the opening each command is a call")}),
    Scripted("pop", "POP3: greeting, log-in, a letter, QUIT (poplib)",
             peer=protocol_mail.pop_server, client="protocol_mail.pop", **GREETER),
    Scripted("imap", "IMAP: greeting, log-in, SELECT, NOOP, LOGOUT (imaplib)",
             peer=protocol_mail.imap_server, client="protocol_mail.imap", **GREETER),
    Scripted("ftp", "FTP's control connection: greeting, log-in, three commands, QUIT (ftplib)",
             peer=protocol_ftp.server, client="protocol_ftp.control", **GREETER),
]
for kind, client, traits in (("python", "blocking", POOL), ("asyncio", "looping", POOL_IN_LOOP)):
    ROWS.append(
        Scripted(f"json lines pool {client}", f"JSON-RPC: four requests and two later ones ({kind})",
                 peer=protocol_jsonlines.server, client=f"protocol_jsonlines.{client}_pool",
                 **traits | {"healthy_answers": 3}))
