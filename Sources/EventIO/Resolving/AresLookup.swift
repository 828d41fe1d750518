import CAres
import Glibc

/// A lookup by c-ares. Used on the resolver's thread only.
///
/// Each has a channel of its own. So its sockets close with it, each lookup has random source ports (RFC 5452
/// 9.2), one silent server does not use up the tries of other names, and each lookup reads the current
/// resolv.conf. (c-ares 1.18 cannot cancel one of several queries, and has no `ares_reinit`.) A channel takes
/// 74 KiB and 30 us.
final class AresLookup {
    fileprivate enum Outcome {
        case found([SocketAddress], timeToLive: TimeAmount)
        /// The name exists, but one of the queries found no address.
        case noData
        case failure(SocketError.Kind)
    }

    /// What the callbacks of c-ares change. They run only within calls of its functions.
    fileprivate struct Progress {
        var outcome: Outcome?
        /// What to poll each socket for.
        var interests: [Int32: Int16] = [:]
        /// Whether a socket was refused because few descriptors are left.
        var lacksDescriptors = false
    }

    let host: String
    private let isLocal: Bool
    private let deadline: MonotonicTime
    /// Allocated in `init`, freed in `deinit` after the channel, whose callbacks refer to it.
    private let progress: UnsafeMutablePointer<Progress>
    private var channel: ares_channel?
    /// If both families together have no address, each is asked alone: c-ares 1.18 reports the query that
    /// ended last, and the other one may have failed.
    private var nextFamilies = [AF_INET6, AF_INET]

    private static let isReady = ares_library_init(ARES_LIB_INIT_NONE) == ARES_SUCCESS

    /// Starts the lookup. nil if there is no memory for it.
    init?(
        _ host: String, at servers: [SocketAddress], _ configuration: String?, _ limits: Resolver.Limits
    ) {
        self.host = host
        isLocal = Self.isLocal(host)
        deadline = .clock() + limits.lookupTimeout
        progress = .allocate(capacity: 1)
        progress.initialize(to: Progress())
        guard Self.isReady, open(servers, configuration, limits) else { return nil }
        ask(AF_UNSPEC)
    }

    deinit {
        if let channel { ares_destroy(channel) }
        progress.deinitialize(count: 1)
        progress.deallocate()
    }

    private func open(
        _ servers: [SocketAddress], _ configuration: String?, _ limits: Resolver.Limits
    ) -> Bool {
        var options = ares_options()
        options.timeout = Int32(clamping: limits.tryTimeout.nanoseconds / 1_000_000)
        options.tries = Int32(clamping: limits.tries)
        options.sock_state_cb = socketChanged
        options.sock_state_cb_data = UnsafeMutableRawPointer(progress)
        var mask = ARES_OPT_TIMEOUTMS | ARES_OPT_TRIES | ARES_OPT_SOCK_STATE_CB | ARES_OPT_LOOKUPS
        // Copied by `ares_init_options`, freed here. "f" is /etc/hosts, "b" is DNS.
        let lookups = strdup(isLocal ? "f" : "fb")
        let path = configuration.flatMap { strdup($0) }
        defer {
            free(lookups)
            free(path)
        }
        options.lookups = lookups
        if path != nil {
            options.resolvconf_path = path
            mask |= ARES_OPT_RESOLVCONF
        }
        guard ares_init_options(&channel, &options, mask) == ARES_SUCCESS, let channel else { return false }
        ares_set_socket_callback(channel, socketOpened, progress)
        guard !servers.isEmpty else { return true }
        let list = servers.map(\.description).joined(separator: ",")
        return ares_set_servers_ports_csv(channel, list) == ARES_SUCCESS
    }

    private func ask(_ family: Int32) {
        progress.pointee.outcome = nil
        var hints = ares_addrinfo_hints()
        hints.ai_family = family
        hints.ai_socktype = Int32(SOCK_STREAM.rawValue)
        ares_getaddrinfo(channel, host, nil, &hints, lookupEnded, progress)
    }

    /// Returns the result once it is known: the addresses, a failure, or a failure because the deadline has
    /// passed.
    func result(now: MonotonicTime) -> Result<FoundAddresses, SocketError>? {
        if case .noData = progress.pointee.outcome, let family = nextFamilies.popLast() {
            ask(family)
            return result(now: now)
        }
        if isLocal { return .success(localAddresses) }
        switch progress.pointee.outcome {
        case .found(let addresses, let timeToLive):
            return .success(FoundAddresses(addresses: addresses, timeToLive: timeToLive))
        case .noData: return .failure(SocketError(.nameNotFound, .resolve, subject: host))
        // Says nothing about the name servers.
        case .failure(.nameFailed) where progress.pointee.lacksDescriptors:
            return .failure(SocketError(.resolve, EMFILE, subject: host))
        case .failure(let kind): return .failure(SocketError(kind, .resolve, subject: host))
        case nil:
            return now < deadline ? nil : .failure(SocketError(.nameTimedOut, .resolve, subject: host))
        }
    }

    // MARK: Sockets

    func timeLeft(now: MonotonicTime) -> TimeAmount {
        guard progress.pointee.outcome == nil else { return .zero }
        var time = timeval()
        guard ares_timeout(channel, nil, &time) != nil else { return deadline - now }
        let next = TimeAmount.seconds(Int64(time.tv_sec)).nanoseconds + Int64(time.tv_usec) * 1000
        return min(deadline - now, .nanoseconds(next))
    }

    func addSockets(to polled: inout [pollfd]) {
        for (socket, events) in progress.pointee.interests {
            polled.append(pollfd(fd: socket, events: events, revents: 0))
        }
    }

    /// Handles the events of this lookup's sockets, which begin at `index`, and its time-outs. Moves `index`
    /// to the next lookup's.
    func process(_ polled: [pollfd], from index: inout Int) {
        let end = index + progress.pointee.interests.count
        for entry in polled[index..<end] where entry.revents != 0 {
            // Reading takes an error from the socket.
            let reads = entry.revents & ~Int16(POLLOUT) != 0
            let writes = entry.revents & Int16(POLLOUT) != 0
            ares_process_fd(
                channel, reads ? entry.fd : ARES_SOCKET_BAD, writes ? entry.fd : ARES_SOCKET_BAD)
        }
        index = end
        ares_process_fd(channel, ARES_SOCKET_BAD, ARES_SOCKET_BAD)
    }

    // MARK: localhost

    /// Whether the name is `localhost` or below it.
    private static func isLocal(_ host: String) -> Bool {
        let name = host.lowercased().utf8
        let labels = name.last == UInt8(ascii: ".") ? name.dropLast() : name[...]
        return labels.elementsEqual("localhost".utf8) || labels.suffix(10).elementsEqual(".localhost".utf8)
    }

    /// The loopback addresses in /etc/hosts, or both if it has none. That lookup ends as soon as it starts.
    private var localAddresses: FoundAddresses {
        var addresses: [SocketAddress] = []
        if case .found(let found, _) = progress.pointee.outcome { addresses = found.filter(\.isLoopback) }
        if addresses.isEmpty {
            addresses = ["::1", "127.0.0.1"].compactMap { SocketAddress(host: $0, port: 0) }
        }
        return FoundAddresses(addresses: addresses, timeToLive: .zero)
    }
}

// MARK: Callbacks of c-ares

extension AresLookup.Outcome {
    fileprivate init(_ status: Int32, _ found: ares_addrinfo?) {
        switch status {
        case ARES_SUCCESS:
            var addresses: [SocketAddress] = []
            var known: Set<SocketAddress> = []
            var seconds = Int32.max
            var node = found?.nodes
            while let entry = node?.pointee {
                if let pointer = entry.ai_addr,
                    let address = SocketAddress(pointer, length: entry.ai_addrlen),
                    known.insert(address).inserted
                {
                    addresses.append(address)
                }
                seconds = min(seconds, entry.ai_ttl)
                node = entry.ai_next
            }
            var alias = found?.cnames
            while let entry = alias?.pointee {
                seconds = min(seconds, entry.ttl)
                alias = entry.next
            }
            // A time to live with the highest bit set is 0 (RFC 2181 8).
            self =
                addresses.isEmpty
                ? .noData : .found(addresses, timeToLive: .seconds(Int64(max(0, seconds))))
        case ARES_ENODATA: self = .noData
        case ARES_ENOTFOUND, ARES_EBADNAME: self = .failure(.nameNotFound)
        case ARES_ETIMEOUT: self = .failure(.nameTimedOut)
        default: self = .failure(.nameFailed)
        }
    }
}

private func lookupEnded(
    context: UnsafeMutableRawPointer?, status: Int32, _: Int32, found: UnsafeMutablePointer<ares_addrinfo>?
) {
    let outcome = AresLookup.Outcome(status, found?.pointee)
    context?.assumingMemoryBound(to: AresLookup.Progress.self).pointee.outcome = outcome
    if let found { ares_freeaddrinfo(found) }
}

private func socketChanged(
    context: UnsafeMutableRawPointer?, socket: Int32, isRead: Int32, isWritten: Int32
) {
    let events = (isRead != 0 ? POLLIN : 0) | (isWritten != 0 ? POLLOUT : 0)
    context?.assumingMemoryBound(to: AresLookup.Progress.self).pointee.interests[socket] =
        events == 0 ? nil : Int16(events)
}

/// Refuses a socket that would take one of the last descriptors.
private func socketOpened(_ socket: Int32, _: Int32, context: UnsafeMutableRawPointer?) -> Int32 {
    guard Descriptor.isSpare(socket) else { return 0 }
    context?.assumingMemoryBound(to: AresLookup.Progress.self).pointee.lacksDescriptors = true
    return -1
}
