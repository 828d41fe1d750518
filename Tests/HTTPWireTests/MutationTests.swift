import HTTPModel
import HTTPWire
import Testing

@Suite("Damaged messages")
struct MutationTests {
    /// A reproducible random generator (SplitMix64).
    struct Numbers: RandomNumberGenerator {
        var state: UInt64

        mutating func next() -> UInt64 {
            state &+= 0x9e37_79b9_7f4a_7c15
            var value = state
            value = (value ^ (value >> 30)) &* 0xbf58_476d_1ce4_e5b9
            value = (value ^ (value >> 27)) &* 0x94d0_49bb_1331_11eb
            return value ^ (value >> 31)
        }
    }

    @Test("The verdict on a damaged request does not depend on where it is cut", arguments: 0..<8)
    func requests(_ seed: Int) {
        var numbers = Numbers(state: UInt64(seed))
        let messages = Vector.requests.filter { $0.bytes.count < 400 }.map(\.bytes)
        for _ in 0..<400 {
            let bytes = damaged(messages, &numbers)
            let whole = requestTranscript([bytes[...]])
            let cut = requestTranscript(pieces(of: bytes, &numbers))
            #expect(whole.verdict == cut.verdict, "\(escaped(bytes))")
        }
    }

    @Test("The verdict on a damaged response does not depend on where it is cut", arguments: 0..<8)
    func responses(_ seed: Int) {
        var numbers = Numbers(state: UInt64(seed) + 100)
        let messages = Vector.responses.filter { $0.bytes.count < 400 }.map(\.bytes)
        for _ in 0..<400 {
            let bytes = damaged(messages, &numbers)
            let method = Bool.random(using: &numbers) ? "GET" : "HEAD"
            let finishes = Bool.random(using: &numbers)
            let whole = responseTranscript([bytes[...]], method: method, finishes: finishes)
            let cut = responseTranscript(pieces(of: bytes, &numbers), method: method, finishes: finishes)
            #expect(whole.verdict == cut.verdict, "\(escaped(bytes))")
        }
    }

    /// Returns one to three messages in a row with up to four random edits.
    private func damaged(_ messages: [[UInt8]], _ numbers: inout Numbers) -> [UInt8] {
        var bytes: [UInt8] = []
        for _ in 0..<Int.random(in: 1...3, using: &numbers) {
            bytes += messages.randomElement(using: &numbers) ?? []
        }
        let favourites = Array("\r\n\r\n :;,=\"\\0x\t\0/".utf8)
        for _ in 0..<Int.random(in: 0...4, using: &numbers) where !bytes.isEmpty {
            let index = Int.random(in: 0..<bytes.count, using: &numbers)
            let byte = favourites.randomElement(using: &numbers) ?? 0
            switch Int.random(in: 0..<5, using: &numbers) {
            case 0: bytes[index] = byte
            case 1: bytes[index] = UInt8.random(in: 0...255, using: &numbers)
            case 2: bytes.insert(byte, at: index)
            case 3: bytes.remove(at: index)
            default: bytes.insert(contentsOf: bytes[index...].prefix(12), at: index)
            }
        }
        return bytes
    }

    private func pieces(of bytes: [UInt8], _ numbers: inout Numbers) -> [ArraySlice<UInt8>] {
        var pieces: [ArraySlice<UInt8>] = []
        let longest = [1, 3, 20, 200].randomElement(using: &numbers) ?? 1
        var rest = bytes[...]
        while !rest.isEmpty {
            let piece = rest.prefix(Int.random(in: 1...longest, using: &numbers))
            pieces.append(piece)
            rest = rest[piece.endIndex...]
        }
        return pieces
    }
}
