// Compares Rx in virtual time with an independent reference model on random pipelines: same events, ticks and
// subscriptions to the sources, and nothing left scheduled. A difference is shrunk to a minimal pipeline.
//
// runs: 20000
// sources: Tests/Fuzz/Pipelines

import Glibc

/// Runs the target with one input of the fuzzer. Returns 0, as libFuzzer expects.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzPipelines(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    let seed = UnsafeBufferPointer(start: start, count: count).reduce(0) { $0 << 8 | UInt64($1) }
    guard let difference = Experiment(seed: seed).difference() else { return 0 }
    print("Rx and the model differ for seed \(seed):\n\(difference)")
    print("\nThe smallest pipeline that differs:\n\(difference.shrunk(attempts: 1_000))")
    fflush(nil)
    fatalError("Rx and the model differ")
}

/// Neighboring seeds are unrelated, so each mutation draws a new seed.
@_cdecl("LLVMFuzzerCustomMutator")
public func drawSeed(
    _ start: UnsafeMutablePointer<UInt8>?, _ count: Int, _ most: Int, _ chance: CUnsignedInt
) -> Int {
    let bytes = UnsafeMutableBufferPointer(start: start, count: min(most, 8))
    var random = SplitMix64(seed: UInt64(chance))
    for place in bytes.indices { bytes[place] = UInt8.random(in: 0...255, using: &random) }
    return bytes.count
}
