import ASCIIText
import CAres
import Glibc

/// A lookup by c-ares. Used on the resolver's thread only.
///
/// `/etc/hosts` comes first. Then each name of the search list is asked for both families at once, by two
/// queries whose answers `FamilyAnswers` joins: `ares_getaddrinfo` for any family would wait for both.
///
/// Each has a channel of its own. So its sockets close with it, each lookup has random source ports (RFC 5452
/// 9.2), one silent server does not use up the tries of other names, and each lookup reads the current
/// resolv.conf. (c-ares 1.18 cannot cancel one of several queries, and has no `ares_reinit`.) A channel takes
/// 74 KiB and 30 us.
final class AresLookup {
    /// What the callbacks of c-ares change. They run only within calls of its functions.
    fileprivate struct Progress {
        /// What to poll each socket for.
        var interests: [Int32: Int16] = [:]
        /// Whether a socket was refused because few descriptors are left.
        var lacksDescriptors = false
    }

    /// A query for one name and family, or for a name in `/etc/hosts`.
    fileprivate struct Query {
        var answer: FamilyAnswers.Answer?
        var arrival = MonotonicTime(nanoseconds: 0)
    }

    let host: String
    private let isLocal: Bool
    private let deadline: MonotonicTime
    /// Allocated in `init`, freed in `deinit` after the channel, whose callbacks refer to it.
    private let progress: UnsafeMutablePointer<Progress>
    /// Allocated in `init`, freed in `deinit` after the channel, which refers to them.
    private let socketFunctions: UnsafeMutablePointer<ares_socket_functions>
    private let streams: UnsafeMutablePointer<AnswerSockets.Streams>
    private var channel: ares_channel?
    /// Freed in `deinit` after the channel, whose callbacks refer to them.
    private var queries: [UnsafeMutablePointer<Query>] = []
    /// The names of the search list that are still to be tried.
    private var names: ArraySlice<String> = []
    private var answers = FamilyAnswers()
    private var ended: Result<FoundAddresses, SocketError>?
    private var hasReported = false

    private static let isReady = ares_library_init(ARES_LIB_INIT_NONE) == ARES_SUCCESS

    /// Starts the lookup. Returns nil if memory runs out.
    init?(
        _ host: String, at servers: [SocketAddress], _ configuration: String?, _ limits: Resolver.Limits
    ) {
        self.host = host
        isLocal = Self.isLocal(host)
        deadline = .clock() + limits.lookupTimeout
        progress = .allocate(capacity: 1)
        progress.initialize(to: Progress())
        socketFunctions = .allocate(capacity: 1)
        socketFunctions.initialize(to: AnswerSockets.functions)
        streams = .allocate(capacity: 1)
        streams.initialize(to: [:])
        guard Self.isReady, open(hosts: true, servers, configuration, limits), let files = channel else {
            return nil
        }
        // A lookup in `/etc/hosts` ends as soon as it starts.
        let known = ask(host, AF_UNSPEC).pointee.answer
        if isLocal {
            ended = .success(Self.localAddresses(known))
        } else if case .found(let addresses, _) = known {
            ended = .success(FoundAddresses(addresses: addresses, timeToLive: .zero))
        } else if case .unusable(let addresses) = known {
            ended = .failure(.unusable(addresses, of: host))
        } else {
            names = SearchList(of: files).names(for: host)[...]
            ares_destroy(files)
            channel = nil
            guard open(hosts: false, servers, configuration, limits) else { return nil }
            askNext()
        }
    }

    deinit {
        if let channel { ares_destroy(channel) }
        for query in queries {
            query.deinitialize(count: 1)
            query.deallocate()
        }
        socketFunctions.deinitialize(count: 1)
        socketFunctions.deallocate()
        streams.deinitialize(count: 1)
        streams.deallocate()
        progress.deinitialize(count: 1)
        progress.deallocate()
    }

    /// - Parameter hosts: whether the channel looks into `/etc/hosts` only, or asks DNS only.
    private func open(
        hosts: Bool, _ servers: [SocketAddress], _ configuration: String?, _ limits: Resolver.Limits
    ) -> Bool {
        var options = ares_options()
        options.timeout = Int32(clamping: limits.tryTimeout.nanoseconds / 1_000_000)
        options.tries = Int32(clamping: limits.tries)
        options.sock_state_cb = socketChanged
        options.sock_state_cb_data = UnsafeMutableRawPointer(progress)
        var mask = ARES_OPT_TIMEOUTMS | ARES_OPT_TRIES | ARES_OPT_SOCK_STATE_CB | ARES_OPT_LOOKUPS
        // No search domains: `names` has them.
        if !hosts { mask |= ARES_OPT_DOMAINS }
        // Copied by `ares_init_options`, freed here. "f" is /etc/hosts, "b" is DNS.
        let lookups = strdup(hosts ? "f" : "b")
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
        ares_set_socket_functions(channel, socketFunctions, streams)
        guard !hosts, !servers.isEmpty else { return true }
        let list = servers.map(\.description).joined(separator: ",")
        return ares_set_servers_ports_csv(channel, list) == ARES_SUCCESS
    }

    @discardableResult
    private func ask(_ name: String, _ family: Int32) -> UnsafeMutablePointer<Query> {
        let query = UnsafeMutablePointer<Query>.allocate(capacity: 1)
        query.initialize(to: Query())
        queries.append(query)
        var hints = ares_addrinfo_hints()
        hints.ai_family = family
        hints.ai_socktype = Int32(SOCK_STREAM.rawValue)
        ares_getaddrinfo(channel, name, nil, &hints, queryEnded, query)
        return query
    }

    /// Asks for both families of the next name, IPv6 first (RFC 8305, section 3).
    private func askNext() {
        guard let name = names.popFirst() else { return }
        answers = FamilyAnswers()
        ask(name, AF_INET6)
        ask(name, AF_INET)
    }

    /// Returns what was found since the last call: the addresses of one family once, and the result at the
    /// end. A lookup that has reported its result is over.
    func report(now: MonotonicTime) -> LookupReport? {
        while ended == nil {
            takeAnswers(now: now)
            switch answers.state(now: now) {
            case .waiting: return nil
            case .partial(let addresses):
                guard !hasReported else { return nil }
                hasReported = true
                return .partial(addresses)
            case .found(let addresses, let freshUntil):
                // In whole seconds, as servers count it.
                let seconds = ((freshUntil - now).nanoseconds + 999_999_999) / 1_000_000_000
                ended = .success(FoundAddresses(addresses: addresses, timeToLive: .seconds(seconds)))
            case .failed(.nowhere) where !names.isEmpty && now < deadline: askNext()
            case .failed(let failure): ended = .failure(error(failure))
            }
        }
        return ended.map(LookupReport.complete)
    }

    private func takeAnswers(now: MonotonicTime) {
        guard queries.count >= 2 else { return }
        let (ipv6, ipv4) = (queries[queries.endIndex - 2].pointee, queries[queries.endIndex - 1].pointee)
        if let answer = ipv6.answer { answers.ipv6Answered(answer) }
        if let answer = ipv4.answer { answers.ipv4Answered(answer, now: ipv4.arrival) }
        if now >= deadline { answers.deadlinePassed(now: now) }
    }

    private func error(_ failure: FamilyAnswers.Failure) -> SocketError {
        switch failure {
        case .nowhere: SocketError(.nameNotFound, .resolve, subject: host)
        case .unusable(let addresses): .unusable(addresses, of: host)
        // Says nothing about the name servers.
        case .failure(.nameFailed) where progress.pointee.lacksDescriptors:
            SocketError(.resolve, EMFILE, subject: host)
        case .failure(let kind): SocketError(kind, .resolve, subject: host)
        }
    }

    // MARK: Sockets

    func timeLeft(now: MonotonicTime) -> TimeAmount {
        guard ended == nil else { return .zero }
        takeAnswers(now: now)
        var end = deadline
        switch answers.state(now: now) {
        case .waiting(let time): end = min(end, time)
        case .partial where hasReported: break
        case .partial, .found, .failed: return .zero
        }
        var time = timeval()
        guard ares_timeout(channel, nil, &time) != nil else { return end - now }
        let next = TimeAmount.seconds(Int64(time.tv_sec)).nanoseconds + Int64(time.tv_usec) * 1000
        return min(end - now, .nanoseconds(next))
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
        let name = HostName.withoutFinalDot(host).lowercased().utf8
        return name.elementsEqual("localhost".utf8) || name.suffix(10).elementsEqual(".localhost".utf8)
    }

    /// The loopback addresses in /etc/hosts, or both if it has none.
    private static func localAddresses(_ known: FamilyAnswers.Answer?) -> FoundAddresses {
        var addresses: [SocketAddress] = []
        if case .found(let found, _) = known { addresses = found.filter(\.isLoopback) }
        if addresses.isEmpty {
            addresses = ["::1", "127.0.0.1"].compactMap { SocketAddress(host: $0, port: 0) }
        }
        return FoundAddresses(addresses: addresses, timeToLive: .zero)
    }
}

// MARK: Callbacks of c-ares

extension FamilyAnswers.Answer {
    fileprivate init(_ status: Int32, _ found: ares_addrinfo?, now: MonotonicTime) {
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
            let usable = addresses.filter(\.isDestination)
            // A time to live with the highest bit set is 0 (RFC 2181 8).
            self =
                switch (usable.isEmpty, addresses.isEmpty) {
                case (_, true): .noData
                case (true, false): .unusable(addresses)
                case (false, false): .found(usable, freshUntil: now + .seconds(Int64(max(0, seconds))))
                }
        case ARES_ENODATA: self = .noData
        case ARES_ENOTFOUND, ARES_EBADNAME: self = .notFound
        case ARES_ETIMEOUT: self = .failure(.nameTimedOut)
        default: self = .failure(.nameFailed)
        }
    }
}

private func queryEnded(
    context: UnsafeMutableRawPointer?, status: Int32, _: Int32, found: UnsafeMutablePointer<ares_addrinfo>?
) {
    let now = MonotonicTime.clock()
    let answer = FamilyAnswers.Answer(status, found?.pointee, now: now)
    context?.assumingMemoryBound(to: AresLookup.Query.self).pointee = AresLookup.Query(
        answer: answer, arrival: now)
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
