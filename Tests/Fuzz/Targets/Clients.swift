import HTTPModel
import HTTPWire

// What proxies tell of a client. Nothing may trap. A header of the PROXY protocol means the same however it
// is cut, and is read to its end and no further. A client that is read from fields is the first untrusted
// address of its chain, a client that another gateway is told is read again, and whatever the client itself
// wrote to the left of what a trusted proxy has appended changes nothing. The first byte chooses the source;
// then come lines.

private let trusted = (try? TrustedProxies(["private"])) ?? TrustedProxies()

/// Runs the target with one input of the fuzzer. Returns 0, as libFuzzer expects.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzClients(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    let all = Array(UnsafeBufferPointer(start: start, count: count))
    checkProxyHeader(all)
    guard let first = all.first else { return 0 }
    let header = ClientHeader.allCases[Int(first) % 3]
    let lines = all.dropFirst().split(separator: 0x0a, maxSplits: 8)
    checkFields(lines.map { line in line.filter { $0 >= 0x20 && $0 != 0x7f || $0 == 0x09 }[...] }, by: header)
    return 0
}

private func parse(_ bytes: [UInt8], step: Int) -> (event: ProxyHeaderParser.Event, used: Int) {
    var parser = ProxyHeaderParser()
    var used = 0
    while used < bytes.count {
        var consumed = 0
        let piece = bytes[used..<min(used + step, bytes.count)]
        let event = piece.withUnsafeBytes { parser.parse($0, consumed: &consumed) }
        used += consumed
        if event != .needMore { return (event, used) }
        guard consumed == piece.count else { fatalError("needs more than \(piece) and left some") }
    }
    return (.needMore, used)
}

private func checkProxyHeader(_ bytes: [UInt8]) {
    let whole = parse(bytes, step: max(1, bytes.count))
    for step in [1, 7] {
        let cut = parse(bytes, step: step)
        guard cut.event == whole.event, cut.used == whole.used else {
            fatalError("cut by \(step): \(cut), not \(whole)")
        }
    }
    guard case .header(let header) = whole.event else { return }
    guard whole.used <= 16 + 2048 else { fatalError("a header of \(whole.used) bytes") }
    let isBinary = bytes[0] == 0x0d
    guard isBinary || bytes[whole.used - 1] == 0x0a else { fatalError("a line ends before its end") }
    guard case .client(let client, _) = header else { return }
    guard IPAddress(client.description) == client else { fatalError("\(client) is not read again") }
}

private func checkFields(_ lines: [ArraySlice<UInt8>], by header: ClientHeader) {
    let name: HTTPFieldName =
        header == .xForwardedFor ? .xForwardedFor : header == .forwarded ? .forwarded : .xRealIP
    var fields = HTTPFields()
    for line in lines {
        fields.append(name, bytes: line)
        fields.append(.xForwardedProto, bytes: line)
        fields.append(.xForwardedHost, bytes: line)
    }
    let client = trusted.client(of: fields, by: header)
    if let client {
        guard client.hops.count < 32, client.hops.allSatisfy(trusted.contains) else {
            fatalError("hops \(client.hops)")
        }
        checkForwarding(client)
    }
    guard header != .xRealIP else { return }
    // An honest proxy appends a client to whatever that has written.
    for own in ["203.0.113.9", "2001:db8::1"] {
        let element = header == .xForwardedFor ? own : own.contains(":") ? "for=\"[\(own)]\"" : "for=\(own)"
        var appended = HTTPFields()
        for line in lines.dropLast() { appended.append(name, bytes: line) }
        appended.append(name, bytes: (lines.last.map { $0 + ", ".utf8 } ?? []) + element.utf8)
        guard trusted.client(of: appended, by: header)?.text == own else {
            fatalError("\(appended) hides \(own)")
        }
    }
}

private func checkForwarding(_ client: ForwardedClient) {
    // An element of a longer host is not read.
    guard let address = client.address, let peer = IPAddress("10.0.0.1"), client.hops.count < 31,
        (client.host?.utf8.count ?? 0) < 400
    else { return }
    let facts = ClientFacts(client, peer: peer, scheme: client.scheme ?? "http", host: client.host)
    for (form, header) in [
        (ClientForwarding.xForwarded, ClientHeader.xForwardedFor), (.forwarded, .forwarded),
    ] {
        let read = trusted.client(of: facts.fields(in: form), by: header)
        guard let read, read.scheme == client.scheme ?? "http" else {
            fatalError("\(form): the scheme is lost")
        }
        // If all are trusted, the leftmost is the client here, too.
        guard read.address == address, read.hops == client.hops + [peer] else {
            fatalError("\(form): \(address) behind \(client.hops) became \(read.text) behind \(read.hops)")
        }
        guard read.host == client.host else { fatalError("\(form): the host is lost") }
    }
}
