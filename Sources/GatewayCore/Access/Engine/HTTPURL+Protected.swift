package import HTTPModel

extension HTTPURL {
    /// Whether nobody on the network path can change what the server answers: it is reached by `https`, or it
    /// is on this machine.
    package var isProtected: Bool {
        scheme == .https || host == "localhost" || host.hasSuffix(".localhost")
            || IPAddress(host).map(\.isLoopback) == true
    }
}

extension IPAddress {
    fileprivate var isLoopback: Bool {
        let own = unmapped
        return own.isIPv4 ? own.bits >> 24 == 127 : own.bits == 1
    }
}
