import Crypto
import Testing

@Suite("Random bytes")
struct SecureRandomTests {
    @Test("There are as many bytes as asked for", arguments: [0, 1, 32, 1000])
    func count(count: Int) {
        #expect(SecureRandom.bytes(count).count == count)
    }

    @Test("No two of many are equal")
    func distinct() {
        #expect(Set((0..<1000).map { _ in SecureRandom.bytes(16) }).count == 1000)
    }
}
