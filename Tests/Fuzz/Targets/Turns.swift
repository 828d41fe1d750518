import ContentCoding
import Glibc

// What a loop decodes in one turn takes a limited time, whatever arrives: at most 64 KiB of coded bytes, and
// no more of them than become 256 KiB of content or 64 KiB between two codings. A finding is an input for
// which that takes more than 25 ms. The first byte picks the codings; the rest is repeated, and the first
// half of it comes only once, at the beginning.
// seeds: Tests/Fuzz/Seeds/Codings

/// Runs the target with one input of the fuzzer. Returns 0, as libFuzzer expects.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzTurns(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    let all = Array(UnsafeBufferPointer(start: start, count: count))
    guard all.count >= 4 else { return 0 }
    let known: [ContentCoding] = [.gzip, .deflate, .brotli]
    var codings = [known[Int(all[0]) % 3]]
    if all[0] >= 128 { codings.append(known[Int(all[0] >> 2) % 3]) }
    let rest = all.dropFirst(2)
    let (beginning, repeated) = (rest.prefix(rest.count / 2), rest.dropFirst(rest.count / 2))
    let bytes = beginning + repeatElement(repeated, count: (64 << 10) / repeated.count).joined()
    // The fastest of three, because the machine may be busy.
    var least = Int.max
    for _ in 0..<3 where least > 25_000_000 { least = min(least, longestTurn(Array(bytes), codings)) }
    guard least <= 25_000_000 else { fatalError("a turn took \(least / 1000) us for \(codings)") }
    return 0
}

private func longestTurn(_ bytes: [UInt8], _ codings: [ContentCoding]) -> Int {
    guard
        let decoder = try? ContentDecoder(
            codings, limits: DecodingLimits(size: 8 << 20, ratio: 100), mostBetween: 64 << 10)
    else { return 0 }
    var buffer = [UInt8](repeating: 0, count: 32 << 10)
    var (consumed, longest) = (0, 0)
    while true {
        let began = processorTime()
        var content = 0
        repeat {
            let count = bytes.withUnsafeBytes { input in
                buffer.withUnsafeMutableBytes { output in
                    try? decoder.decode(input, consumed: &consumed, into: output)
                }
            }
            guard let count, count > 0 || decoder.isInterrupted else {
                return max(longest, processorTime() - began)
            }
            content += count
        } while content < 256 << 10 && !decoder.isInterrupted
        longest = max(longest, processorTime() - began)
    }
}

private func processorTime() -> Int {
    var time = timespec()
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
    return time.tv_sec * 1_000_000_000 + time.tv_nsec
}
