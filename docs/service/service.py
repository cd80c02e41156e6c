import ipaddress
import json
import os
import socket
import sys

from flask import Flask, request
from waitress import create_server
from werkzeug.exceptions import HTTPException

from privrl import PrivateUCBVI, online

agent = PrivateUCBVI(epsilon=1.0, delta=1e-6, counter="blt", multiplier=0.03)
known = online.tabular(states=3, actions=2, horizon=4)
must_exist = os.environ.get("MUST_EXIST") == "1"
session = online.Session(
    agent, known, users=2000, every=4, path="http.session", must_exist=must_exist
)
service = Flask("service")


@service.get("/")
def plan_in_force():
    with session.lock:  # the plan, its number and the next user belong together
        plan = session.learner.state.plan
        return {
            "next": session.users,
            "plan": session.plan,
            "guarantee": session.guarantee,
            "greedy": plan.greedy.tolist(),  # bit a of greedy (H, S): action a is among the best
            "values": plan.q.tolist(),
        }


@service.post("/")
def episode():
    try:
        submission = online.parse(request.get_data())
        return {"counted": submission.user, "fresh": session.observe(*submission)}
    except ValueError as error:
        return {"refused": str(error)}, 400  # quotes the episode: for its user alone
    except RuntimeError as error:  # the file could not be written, or another process has gone on
        try:
            print(f"the service ends: {error}", file=sys.stderr, flush=True)
        finally:
            os._exit(1)  # whoever watches this process starts it again; nobody was told "counted"


@service.errorhandler(HTTPException)
def no_answer(error):  # another path or method, or what failed inside
    answer = error.get_response()
    answer.data = json.dumps({"refused": f"{error.code} {error.name}; GET / and POST / are served"})
    answer.content_type = "application/json"
    return answer


server = create_server(
    service,
    host=os.environ.get("HOST", str(ipaddress.ip_address(socket.INADDR_LOOPBACK))),
    port=int(os.environ.get("PORT", "8080")),
    threads=8,
    channel_timeout=60,  # seconds: a client that says nothing is hung up on
    max_request_body_size=online.LONGEST,
)
print(server.effective_port, flush=True)
server.run()
