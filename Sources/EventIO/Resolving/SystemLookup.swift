import Glibc

extension Resolver {
    /// Looks a name up with `getaddrinfo`, as the system is configured. Blocks for as long as resolv.conf(5)
    /// allows.
    public static let systemLookup: Lookup = { addresses(of: $0, flags: 0) }

    /// Returns the addresses of a numeric host in any form that `getaddrinfo` knows, such as `127.1`; nil for
    /// a name.
    static func numericLookup(_ host: String) -> [SocketAddress]? {
        try? addresses(of: host, flags: AI_NUMERICHOST).get()
    }

    private static func addresses(
        of host: String, flags: Int32
    ) -> Result<[SocketAddress], SocketError> {
        var hints = addrinfo()
        hints.ai_flags = flags
        hints.ai_family = AF_UNSPEC
        hints.ai_socktype = Int32(SOCK_STREAM.rawValue)
        var list: UnsafeMutablePointer<addrinfo>?
        // Allocated by `getaddrinfo`, freed below.
        let code = getaddrinfo(host, nil, &hints, &list)
        defer { if let list { freeaddrinfo(list) } }
        guard code == 0 else {
            let isUnknown = code == EAI_NONAME || code == Resolver.noData
            return .failure(SocketError(isUnknown ? .nameNotFound : .nameFailed, .resolve, subject: host))
        }
        var addresses: [SocketAddress] = []
        var next = list
        while let entry = next?.pointee {
            if let pointer = entry.ai_addr, let address = SocketAddress(pointer, length: entry.ai_addrlen),
                !addresses.contains(address)
            {
                addresses.append(address)
            }
            next = entry.ai_next
        }
        guard !addresses.isEmpty else {
            return .failure(SocketError(.nameNotFound, .resolve, subject: host))
        }
        return .success(addresses)
    }

    /// `EAI_NODATA`, which glibc declares only for GNU programs: the name exists but has no address.
    private static let noData: Int32 = -5
}
