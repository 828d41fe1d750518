import EndpointPlans
import Glibc
import JSONBytes

@testable import GatewayCore
@testable import Networking

// What is done with a value on a loop takes time in proportion to its length, whatever is repeated in it: a
// finding is an input whose work takes more than 2 us a byte of the value (a release build is about 50 times
// faster than this one). The first two bytes cut the rest into the beginning, the repeated middle and the end
// of the value.
//
// optimize: ASCIIText JSONBytes

/// Runs the target with one input of the fuzzer. Returns 0, as libFuzzer expects.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzWorks(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    let all = Array(UnsafeBufferPointer(start: start, count: count))
    guard all.count > 4 else { return 0 }
    let rest = all.dropFirst(2)
    let first = rest.startIndex + Int(all[0]) % (rest.count - 1)
    let second = first + 1 + Int(all[1]) % (rest.endIndex - first - 1 == 0 ? 1 : rest.endIndex - first - 1)
    let middle = rest[first..<second]
    let repeated = repeatElement(middle, count: size / middle.count).joined()
    let bytes = Array(rest[..<first]) + Array(repeated) + Array(rest[second...])
    guard let value = try? JSONFragment(validating: bytes[...]) else { return 0 }
    for work in works { check(work, value) }
    return 0
}

/// Bytes of a value.
private let size = 64 * 1024

private let shape = JSONShape().keep("a", "b", "c", "a.b").drop("c.a").rename(["a": "b", "c": "d"])

private let declared: ResponseEnvelope = {
    guard let status = try? JSONPointer("/a/0"), let data = try? JSONPointer("/b/c") else {
        fatalError("invalid pointers")
    }
    return .declared(status: status, data: data, success: ["0"])
}()

private let works: [(name: String, run: @Sendable (JSONFragment) -> Void)] = [
    ("[*].a", { _ = ValuePath(steps: [.all, .name(Array("a".utf8))]).value(in: $0) }),
    ("[*][*]", { _ = ValuePath(steps: [.all, .all]).value(in: $0) }),
    ("a.b", { _ = ValuePath(steps: [.name(Array("a".utf8)), .name(Array("b".utf8))]).value(in: $0) }),
    ("[60000]", { _ = ValuePath(steps: [.index(60_000)]).value(in: $0) }),
    ("shape", { _ = try? $0.shape(shape) }),
    ("elements", { _ = $0.elements(atMost: 1000) }),
    ("texts", { try? CallTemplate.forEachText($0, of: "it", from: .client, { _ in }) }),
    ("merge", { _ = try? $0.join($0) }),
    ("validate", { _ = try? JSONFragment(validating: $0.bytes) }),
    ("envelope", { _ = try? ResponseEnvelope.genericResponse.open($0.bytes, .standard) }),
    ("declared envelope", { _ = try? declared.open($0.bytes, .standard) }),
]

/// The fastest of three runs, because the machine may be busy.
private func check(_ work: (name: String, run: @Sendable (JSONFragment) -> Void), _ value: JSONFragment) {
    let limit = value.bytes.count * 2000 + 1_000_000
    var least = Int.max
    for _ in 0..<3 {
        let began = processorTime()
        work.run(value)
        least = min(least, processorTime() - began)
        if least <= limit { return }
    }
    fatalError("\(work.name) took \(least / 1000) us for \(value.bytes.count) bytes")
}

private func processorTime() -> Int {
    var time = timespec()
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
    return time.tv_sec * 1_000_000_000 + time.tv_nsec
}
