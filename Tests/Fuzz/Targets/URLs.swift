import ASCIIText
import HTTPModel
import HTTPWire
import JSONBytes

@testable import Networking

// Parsing and building of URLs. Nothing may trap. Parsed URLs round-trip, encoded values stay in their place
// and decode to themselves, and all parsers agree. The lines are a value, a URL or request target, a query
// and the path of a call.

/// Runs the target with one input of the fuzzer. Returns 0, as libFuzzer expects.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzURLs(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    let bytes = Array(UnsafeBufferPointer(start: start, count: count))
    let lines = bytes.split(separator: 0x0a, maxSplits: 3, omittingEmptySubsequences: false)
    checkSegment(Array(lines[0]))
    if let value = String(validating: lines[0], as: UTF8.self) { checkValue(value) }
    guard lines.count > 1 else { return 0 }
    if let text = String(validating: lines[1], as: UTF8.self) {
        checkURL(text)
        checkTarget(text)
    }
    guard lines.count > 2 else { return 0 }
    checkQuery(lines[2])
    guard lines.count > 3 else { return 0 }
    checkPath(lines[3])
    if let path = String(validating: lines[3], as: UTF8.self),
        let value = String(validating: lines[0], as: UTF8.self)
    {
        checkCall(path, value)
    }
    return 0
}

// MARK: - Values

/// Compares with plain code that decodes repeatedly, as a chain of servers might.
private func checkSegment(_ value: [UInt8]) {
    let verdict = Result { () throws(PercentEncoding.Failure) in try PercentEncoding.checkSegment(value) }
    guard value.count <= 512 else { return }
    var decoded = value
    var last: [UInt8]?
    var plain: PercentEncoding.Failure?
    while decoded != last, plain == nil {
        if decoded.isEmpty { plain = .empty }
        if decoded == [0x2e] || decoded == [0x2e, 0x2e] { plain = .dotSegment }
        if decoded.contains(where: { $0 == 0x2f || $0 == 0x5c || $0 < 0x20 || $0 == 0x7f }) {
            plain = .forbiddenByte
        }
        last = decoded
        decoded = decodePlainly(decoded, isLenient: true) ?? []
    }
    switch verdict {
    case .success: if let plain { fatalError("accepted, but decodes to \(plain)") }
    case .failure(let failure): if failure != plain { fatalError("\(failure) instead of \(plain as Any)") }
    }
    let once = try? PercentEncoding.decode(value)
    guard once == decodePlainly(value, isLenient: false) else { fatalError("decoded wrong: \(once as Any)") }
}

/// Returns nil if a `%` does not start an escape and `isLenient` is false.
private func decodePlainly(_ bytes: [UInt8], isLenient: Bool) -> [UInt8]? {
    var decoded: [UInt8] = []
    var rest = bytes[...]
    while let byte = rest.popFirst() {
        let digits = rest.prefix(2)
        if byte == 0x25, digits.count == 2, digits.allSatisfy({ Character(Unicode.Scalar($0)).isHexDigit }),
            let value = UInt8(String(decoding: digits, as: UTF8.self), radix: 16)
        {
            decoded.append(value)
            rest = rest.dropFirst(2)
        } else {
            guard byte != 0x25 || isLenient else { return nil }
            decoded.append(byte)
        }
    }
    return decoded
}

private func checkValue(_ value: String) {
    let encoded = PercentEncoding.encode(value)
    guard encoded.utf8.allSatisfy({ ASCII.isUnreserved($0) || $0 == 0x25 }),
        (try? PercentEncoding.decodeString(encoded.utf8)) == value
    else { fatalError("encoded wrong: \(encoded)") }

    let path: RequestPath = "/a/\(value)/b"
    guard path.fault == nil else {
        if (try? PercentEncoding.encodeSegment(value)) != nil { fatalError("a segment, but not in a path") }
        return
    }
    let segments = path.text.split(separator: "/", omittingEmptySubsequences: false)
    guard segments.count == 4, (try? PercentEncoding.decodeSegment(segments[2].utf8)) == value else {
        fatalError("the value broke out of its segment: \(path.text)")
    }
    guard path.text.withBytes({ TargetRules.classify($0) }) == .path else {
        fatalError("a path that cannot be sent: \(path.text)")
    }
}

// MARK: - URLs and targets

private func checkURL(_ text: String) {
    guard let url = try? HTTPURL(text) else { return }
    guard (try? HTTPURL(url.description)) == url else {
        fatalError("does not round-trip: \(url.description)")
    }
    guard !url.host.isEmpty, !url.host.utf8.contains(where: { "/?#@\\ ".utf8.contains($0) }),
        1...65535 ~= url.port, url.path.utf8.first == 0x2f
    else { fatalError("invalid host, port or path: \(url)") }
    guard let target = RequestTarget(url.target), target.form == .origin, target.path == url.path,
        target.query == url.query
    else { fatalError("wrong target: \(url)") }
    guard let absolute = RequestTarget(text), absolute.form == .absolute, absolute.path == url.path,
        absolute.query == url.query
    else { fatalError("wrong absolute target: \(url)") }
    guard let upstream = try? Upstream(name: "a", baseURL: text) else { return }
    guard upstream.prefix.last != 0x2f, url.path.utf8.starts(with: upstream.prefix) else {
        fatalError("wrong prefix: \(upstream.prefix)")
    }
}

/// Compares with the request parser.
private func checkTarget(_ text: String) {
    let target = RequestTarget(text)
    if let target {
        guard target.description == text else { fatalError("wrong text: \(target)") }
        let pieces = text.split(separator: "?", maxSplits: 1, omittingEmptySubsequences: false).map(
            String.init)
        switch target.form {
        case .origin:
            guard target.path == pieces[0], target.query == (pieces.count > 1 ? pieces[1] : nil) else {
                fatalError("cut wrong: \(target.path) \(target.query ?? "")")
            }
        case .absolute:
            guard let authority = target.authorityBytes, !authority.isEmpty, target.path.utf8.first == 0x2f,
                target.query == (pieces.count > 1 ? pieces[1] : nil)
            else { fatalError("cut wrong: \(target.path) \(target.query ?? "")") }
        case .asterisk, .authority: break
        }
    }
    // The authority form is only for CONNECT, which is unsupported.
    guard target?.form != .authority else { return }
    let method = target?.form == .asterisk ? "OPTIONS" : "GET"
    let host = target?.authorityBytes.map { String(decoding: $0, as: UTF8.self) } ?? "a"
    guard !text.utf8.contains(where: { $0 <= 0x20 }) else { return }
    var parser = RequestParser()
    let head = Array("\(method) \(text) HTTP/1.1\r\nHost: \(host)\r\n\r\n".utf8)
    let event = head.withUnsafeBytes { input in
        var consumed = 0
        return parser.parse(input, consumed: &consumed)
    }
    switch event {
    case .head(let head, _):
        guard let target, head.target == target, head.target.form == target.form,
            head.target.pathBytes == target.pathBytes, head.target.queryBytes == target.queryBytes,
            head.target.authorityBytes == target.authorityBytes
        else { fatalError("parsed as another target: \(head.target)") }
    case .failed(let error):
        guard target == nil || text.utf8.count > RequestLimits().target else {
            fatalError("valid, but refused by the parser: \(error.message)")
        }
    case .needMore, .body, .end: fatalError("a complete head gave \(event)")
    }
}

// MARK: - Queries

private func checkQuery(_ query: ArraySlice<UInt8>) {
    let items = QueryItems(query)
    var plain: [(name: String, value: String)] = []
    var isReadable = true
    for item in query.split(separator: 0x26) {
        let pieces = item.split(separator: 0x3d, maxSplits: 1, omittingEmptySubsequences: false)
        guard let name = formText(pieces[0]), let value = formText(pieces.count > 1 ? pieces[1] : []) else {
            isReadable = false
            break
        }
        plain.append((name, value))
    }
    let all = try? items.all()
    guard (all != nil) == isReadable else { fatalError("wrongly accepted or refused: \(all as Any)") }
    guard let all else { return }
    guard all.elementsEqual(plain, by: ==) else { fatalError("read wrong: \(all) instead of \(plain)") }
    for (name, _) in all {
        let values = all.filter { $0.name == name }.map(\.value)
        guard (try? items.values(of: name)) == values, (try? items.first(name)) == values[0] else {
            fatalError("the values of \(name) are not \(values)")
        }
    }
    var parameters = Parameters()
    for (name, value) in all { parameters.append(name, value) }
    for encoding in [ParameterEncoding.query, .form] {
        guard
            let written = try? ByteWriter.collect({ (room) throws(RequestFault) in
                try encoding.rules.appendPairs(of: &parameters, to: &room)
            }), let again = try? QueryItems(written[...]).all(), again.elementsEqual(all, by: ==)
        else { fatalError("written wrong: \(all)") }
    }
}

private func formText(_ bytes: ArraySlice<UInt8>) -> String? {
    decodePlainly(bytes.map { $0 == 0x2b ? 0x20 : $0 }, isLenient: false)
        .flatMap { String(validating: $0, as: UTF8.self) }
}

// MARK: - Calls

private func checkPath(_ path: ArraySlice<UInt8>) {
    let normalized = HTTPURL.normalizedTarget(path)
    guard HTTPURL.normalizedTarget(normalized) == normalized else { fatalError("not idempotent") }
    var finding = path.withUnsafeBytes { TargetRules.classify($0) }
    guard (finding == .notNormalized) == (normalized[...] != path) else { fatalError("wrongly normalized") }
    if finding == .notNormalized { finding = normalized.withUnsafeBytes { TargetRules.classify($0) } }
    let path = normalized[...]
    let isSendable = isSendablePlainly(path)
    switch finding {
    case .fault(let fault): if isSendable { fatalError("refused: \(fault)") }
    case .path: if !isSendable || path.contains(0x3f) { fatalError("wrongly a path") }
    case .pathAndQuery: if !isSendable || !path.contains(0x3f) { fatalError("wrongly a path and query") }
    case .notNormalized: fatalError("still not normalized")
    }
}

/// Checks the rules of `TargetRules` in plain code.
private func isSendablePlainly(_ target: ArraySlice<UInt8>) -> Bool {
    let mark = target.firstIndex(of: 0x3f) ?? target.endIndex
    let path = target[..<mark]
    let query = target[mark...].dropFirst()
    let isPlain = { (byte: UInt8) in
        ASCII.isUnreserved(byte) || "!$&'()*+,;=:@".utf8.contains(byte)
    }
    guard query.allSatisfy({ isPlain($0) || $0 == 0x25 || $0 == 0x2f || $0 == 0x3f }),
        decodePlainly(Array(query), isLenient: false) != nil
    else { return false }
    guard path.allSatisfy({ isPlain($0) || $0 == 0x25 || $0 == 0x2f }),
        let decoded = decodePlainly(Array(path), isLenient: false),
        !decoded.contains(where: { $0 < 0x20 || $0 == 0x7f })
    else { return false }
    // Splits the path as a server that decodes first would.
    return decoded.split(whereSeparator: { $0 == 0x2f || $0 == 0x5c }).allSatisfy {
        $0 != [0x2e] && $0 != [0x2e, 0x2e]
    }
}

private let upstream = try? Upstream(name: "a", baseURL: "http://a:1/prefix/")
private let provider = upstream.map {
    Provider<Call>(upstream: $0, transport: UnsentTransport())
}

private struct Call: TargetType {
    let path: RequestPath
    let task: RequestTask
    var baseURL: String { "http://a" }
    var method: HTTPMethod { .post }
}

/// A complete call stays under the upstream's prefix, and its parameters read back unchanged.
private func checkCall(_ path: String, _ value: String) {
    guard let provider else { fatalError("no upstream") }
    let parameters: Parameters = [value: value, "list": [value, value], "flag": true, "number": -0.5e-7]
    for encoding in [ParameterEncoding.query, .form, .json] {
        let task = RequestTask.parameters(parameters, encoding: encoding)
        guard let call = try? provider.prepare(Call(path: RequestPath(encoded: path), task: task)) else {
            continue
        }
        let text = String(decoding: call.target, as: UTF8.self)
        guard let target = RequestTarget(text), target.form == .origin,
            target.path == "/prefix" || target.path.utf8.starts(with: "/prefix/".utf8),
            isSendablePlainly(target.pathBytes)
        else { fatalError("the target left its prefix: \(text)") }
        switch encoding {
        case .json:
            guard let body = call.body.inMemory, let object = try? JSONFragment(validating: body),
                object[member: value]?.stringValue == value, object[member: "number"]?.doubleValue == -0.5e-7
            else { fatalError("wrong body: \(String(decoding: call.body.inMemory ?? [], as: UTF8.self))") }
        default:
            // The path's own query comes before the parameters.
            let own = HTTPURL.normalizedTarget(path.utf8).drop { $0 != 0x3f }.dropFirst()
            let query = target.queryBytes ?? []
            guard encoding == .form || query.starts(with: own) else { fatalError("wrong query: \(text)") }
            let pairs =
                encoding == .form
                ? call.body.inMemory ?? [] : query.dropFirst(own.count).drop { !own.isEmpty && $0 == 0x26 }
            guard let all = try? QueryItems(pairs).all(), all.count == 5, all[0] == (value, value),
                all[1] == ("list", value), all[2] == ("list", value), all[4] == ("number", "-5e-08")
            else { fatalError("wrong parameters: \(String(decoding: pairs, as: UTF8.self))") }
        }
    }
}
