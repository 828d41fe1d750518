import Glibc

// flags: -detect_leaks=0
// sources: Tests/Fuzz/Relays

// Requests and responses through a proxy, over sockets. A plain reading says what each side must get of a
// message that is beyond doubt. Of any other, whatever passes is a well-formed message without fields that
// stay behind, and nothing hangs. The input is a letter whose bits say how the upstream behaves, a request, a
// line `=====`, and a response. Memory that the gateway's thread keeps would be taken for leaks.

nonisolated(unsafe) private let world = RelayWorld()
nonisolated(unsafe) private var number = 0

/// Runs the target with one input of the fuzzer. Returns 0, as libFuzzer expects.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzRelays(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    let input = Array(UnsafeBufferPointer(start: start, count: count))
    let mark = Array("\n=====\n".utf8)
    guard input.count > 2, let line = position(of: mark, in: input), line > 1 else { return 0 }
    number += 1
    run(flags: input[0], Array(input[1..<line]), Array(input[(line + mark.count)...]))
    return 0
}

private func position(of mark: [UInt8], in bytes: [UInt8]) -> Int? {
    guard bytes.count >= mark.count else { return nil }
    return (0...(bytes.count - mark.count)).first { bytes[$0..<($0 + mark.count)].elementsEqual(mark) }
}

private func run(flags: UInt8, _ bytes: [UInt8], _ response: [UInt8]) {
    var sent: PlainMessage?
    var target: String?
    if case .message(let message, let length) = PlainMessage.request(bytes), length == bytes.count {
        target = RelayRules.target(of: message)
        if target != nil { sent = message }
    }
    let isHead = sent?.start[0] == "HEAD"
    let answer = PlainMessage.response(response, hasBody: !isHead, isRepaired: true)
    // The number tells this request from one before, which may still be on its way.
    let id = "fuzz-\(number)"
    var script = RelayWorld.Script(
        request: bytes, response: response, clientLeaves: sent == nil, isEarly: flags & 1 != 0,
        upstreamCloses: flags & 2 != 0, split: flags & 4 != 0 ? response.count / 2 : 0)
    if let end = position(of: [13, 10], in: bytes) {
        script.request.insert(contentsOf: "\r\nX-Request-Id: \(id)".utf8, at: end)
    }
    var isPlain = false
    if case .message(let message, let length) = answer, length == response.count {
        // Of these statuses a client makes more than an answer.
        isPlain = ![408, 417, 205].contains(message.status)
        if message.framing == .close { script.upstreamCloses = true }
    }
    if !isPlain { script.upstreamCloses = true }

    var arrivals = 0
    world.arrived = { seen in
        RelayRules.checkHarmless(seen)
        guard let sent, let target, seen.values("x-request-id") == [id] else { return }
        arrivals += 1
        RelayRules.check(seen, sent, target: target, hasBody: !script.isEarly)
    }
    let (received, hasEnded) = world.play(script) { received in
        if case .message(let message, _) = PlainMessage.response(received, hasBody: !isHead) {
            return message.framing != .close
        }
        return false
    }
    check(received, hasEnded, isHead: isHead)
    guard sent != nil, isPlain, case .message(let expected, _) = answer else { return }
    guard arrivals > 0 || script.isEarly else {
        RelayRules.fail("the upstream got nothing, the client \(PlainMessage.text(received))")
    }
    guard case .message(let seen, _) = PlainMessage.response(received, hasBody: !isHead) else {
        RelayRules.fail("the client got \(PlainMessage.text(received))")
    }
    RelayRules.check(seen, expected, isHead: isHead)
}

/// Whatever the client got is a well-formed response, or the beginning of one.
private func check(_ received: [UInt8], _ hasEnded: Bool, isHead: Bool) {
    if received.isEmpty { return }
    switch PlainMessage.response(received, hasBody: !isHead) {
    case .message(let message, _): RelayRules.checkHarmless(response: message)
    case .incomplete:
        if !hasEnded { RelayRules.fail("the client has part of a response") }
    case .odd: RelayRules.fail("the client got \(PlainMessage.text(received))")
    }
}
