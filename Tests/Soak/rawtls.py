"""Connections that do with TLS what Python's module cannot: key updates, renegotiation, resumption at full speed.

It calls the machine's OpenSSL 3.
"""

import ctypes
import ctypes.util
import socket

from harness import Missing

TLS_1_2, TLS_1_3 = 0x0303, 0x0304
# SSL_ctrl(3) by its macros
_SET_MINIMUM, _SET_MAXIMUM = 123, 124


def _library():
    name = ctypes.util.find_library("ssl")
    if name is None or not name.endswith(".so.3"):
        raise Missing("libssl.so.3 is missing: apt-get install -y libssl3")
    library = ctypes.CDLL(name)
    pointer, number = ctypes.c_void_p, ctypes.c_int
    for function, result, *arguments in [
        ("TLS_client_method", pointer), ("SSL_CTX_new", pointer, pointer), ("SSL_CTX_free", None, pointer),
        ("SSL_CTX_ctrl", ctypes.c_long, pointer, number, ctypes.c_long, pointer),
        ("SSL_new", pointer, pointer), ("SSL_free", None, pointer), ("SSL_set_fd", number, pointer, number),
        ("SSL_connect", number, pointer), ("SSL_do_handshake", number, pointer), ("SSL_renegotiate", number, pointer),
        ("SSL_key_update", number, pointer, number), ("SSL_get1_session", pointer, pointer),
        ("SSL_set_session", number, pointer, pointer), ("SSL_SESSION_free", None, pointer),
        ("SSL_session_reused", number, pointer), ("SSL_write", number, pointer, ctypes.c_char_p, number),
        ("SSL_read", number, pointer, pointer, number), ("SSL_shutdown", number, pointer),
    ]:
        getattr(library, function).restype = result
        getattr(library, function).argtypes = arguments
    return library


class Client:
    """What its connections share. They trust any server."""

    def __init__(self, version=TLS_1_3):
        self.library = _library()
        self.handle = self.library.SSL_CTX_new(self.library.TLS_client_method())
        for control in _SET_MINIMUM, _SET_MAXIMUM:
            self.library.SSL_CTX_ctrl(self.handle, control, version, None)

    def connect(self, port, source=0, session=None, timeout=30):
        """Returns a connection after its handshake."""
        peer = socket.socket()
        peer.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        peer.bind((f"127.0.0.{1 + source % 8}", 0))
        # OpenSSL needs a descriptor that blocks.
        seconds = timeout.to_bytes(8, "little") + bytes(8)
        peer.setsockopt(socket.SOL_SOCKET, socket.SO_RCVTIMEO, seconds)
        peer.setsockopt(socket.SOL_SOCKET, socket.SO_SNDTIMEO, seconds)
        peer.connect(("127.0.0.1", port))
        return Connection(self.library, self.handle, peer, session)


class Connection:
    def __init__(self, library, client, peer, session):
        self.library, self.peer = library, peer
        self.handle = library.SSL_new(client)
        library.SSL_set_fd(self.handle, peer.fileno())
        if session:
            library.SSL_set_session(self.handle, session)
        if library.SSL_connect(self.handle) != 1:
            self.close(notify=False)
            raise ConnectionError("the handshake failed")

    @property
    def is_resumed(self):
        return self.library.SSL_session_reused(self.handle) == 1

    def ask(self, request):
        """Returns an answer, which has to fit in a record; empty if there is none."""
        self.library.SSL_write(self.handle, request, len(request))
        room = ctypes.create_string_buffer(1 << 14)
        count = self.library.SSL_read(self.handle, room, len(room))
        return room.raw[:max(0, count)]

    def session(self):
        """The session with its latest ticket, for `connect`."""
        return self.library.SSL_get1_session(self.handle)

    def update_key(self, asks_for_one):
        """Sends a KeyUpdate (RFC 8446, section 4.6.3). Returns whether it was sent."""
        return (self.library.SSL_key_update(self.handle, int(asks_for_one)) == 1
                and self.library.SSL_do_handshake(self.handle) == 1)

    def renegotiate(self):
        """Asks for another handshake (RFC 5246, section 7.4.1.1). Returns whether there was one."""
        return (self.library.SSL_renegotiate(self.handle) == 1
                and self.library.SSL_do_handshake(self.handle) == 1)

    def close(self, notify=True):
        if self.handle:
            if notify:
                self.library.SSL_shutdown(self.handle)
            self.library.SSL_free(self.handle)
            self.handle = None
            self.peer.close()
