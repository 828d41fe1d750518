import Glibc

extension SocketStream {
    /// Whether the peer has neither ended its side nor sent anything that was not read yet, as far as the kernel
    /// knows now. One system call: for the owner of an idle connection who cannot take a write back.
    public var isSilent: Bool {
        guard isOpen, !hasReachedEnd else { return false }
        var byte: UInt8 = 0
        while true {
            let count = recv(descriptor, &byte, 1, Int32(MSG_PEEK | MSG_DONTWAIT))
            if let tls, tls.isBehind { return false }
            if count > 0, let tls { return isSilentSecured(tls) }
            if count >= 0 { return false }
            if errno != EINTR { return errno == EAGAIN }
        }
    }
}
