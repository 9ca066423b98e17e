"""The kernel's half of the greeting on one connection: who is there, and does it know the token?"""

from __future__ import annotations

from skillbook.bridge.proof import check_proof, make_nonce, make_proof
from skillbook.errors import AuthFailed, ProtocolError
from skillbook.protocol import PROTOCOL_VERSION
from skillbook.protocol.envelopes import Auth, Challenge, Hello
from skillbook.protocol.model import WireModel


class Greeting:
    """Hello, challenge, auth, in this order and once.

    Parameters
    ----------
    kernel_id : who the extension must mean to talk to.
    token : what both must know.
    opened : when the connection was opened, in the machine's seconds.
    """

    def __init__(self, kernel_id: str, token: str, opened: float) -> None:
        self.opened = opened
        self.hello: Hello | None = None
        self._kernel_id = kernel_id
        self._token = token
        self._nonce = make_nonce()

    def receive(self, message: WireModel) -> Challenge | Hello:
        """Take a message; the answer is a challenge to send, or the hello of a peer that proved itself.

        Raises
        ------
        AuthFailed : another kernel is meant, or the proof is wrong.
        ProtocolError : not the message whose turn it is.
        """
        if self.hello is None:
            if not isinstance(message, Hello):
                raise ProtocolError("the connection began with something other than a hello")
            if message.kernel != self._kernel_id:
                raise AuthFailed("the extension means another kernel; this one has its port now")
            self.hello = message
            proof = make_proof(self._token, "kernel", message.nonce, self._nonce)
            return Challenge(protocol=PROTOCOL_VERSION, nonce=self._nonce, proof=proof)
        if not isinstance(message, Auth):
            raise ProtocolError("the browser sent something other than its proof")
        if not check_proof(message.proof, self._token, "extension", self.hello.nonce, self._nonce):
            raise AuthFailed("the extension doesn't know this kernel's token")
        return self.hello
