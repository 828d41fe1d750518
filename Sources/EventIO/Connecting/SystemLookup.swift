import Glibc

extension Resolver {
    /// `getaddrinfo`: the hosts file, DNS, and whatever else the system is set up for. Blocks, for as long as
    /// resolv.conf(5) says.
    public static let systemLookup: Lookup = { host in
        var hints = addrinfo()
        hints.ai_family = AF_UNSPEC
        hints.ai_socktype = Int32(SOCK_STREAM.rawValue)
        var list: UnsafeMutablePointer<addrinfo>?
        // The list is allocated here and freed here.
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

    /// `EAI_NODATA`, which glibc shows only to GNU programs: the name exists, without an address.
    private static let noData: Int32 = -5
}
