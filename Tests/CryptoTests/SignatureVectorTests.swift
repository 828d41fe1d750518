import CCrypto
import Crypto
import Testing

@Suite("Published vectors of signatures")
struct SignatureVectorTests {
    @Test("Wrong signatures are refused, and right ones are accepted", arguments: SignatureVector.files)
    func verdicts(file: String) throws {
        let vectors = try SignatureVector.read(file)
        #expect(!vectors.isEmpty)
        for vector in vectors {
            switch vector.verdict {
            case .right: #expect(vector.isAccepted(), "\(vector.name)")
            case .wrong: #expect(!vector.isAccepted(), "\(vector.name)")
            case .either: _ = vector.isAccepted()
            case .unknown: #expect(SignatureAlgorithm(name: vector.algorithm) == nil, "\(vector.name)")
            }
        }
    }

    @Test("Each algorithm has right vectors", arguments: SignatureAlgorithm.allCases)
    func coverage(algorithm: SignatureAlgorithm) throws {
        #expect(try SignatureVector.first(of: algorithm).isAccepted())
    }

    @Test("No verdict and no refused key leaves an error for OpenSSL's next user of the thread")
    func errorQueue() throws {
        // One thread does it all, because nothing is awaited in between.
        for file in SignatureVector.files {
            for vector in try SignatureVector.read(file) {
                _ = vector.isAccepted()
                #expect(ERR_peek_error() == 0, "\(vector.name)")
            }
        }
        _ = try? VerificationKey.ellipticCurve(
            .p256, x: [UInt8](repeating: 1, count: 32), y: [UInt8](repeating: 1, count: 32))
        #expect(ERR_peek_error() == 0)
    }

    @Test("Threads share a key")
    func threads() async throws {
        let vector = try SignatureVector.first(of: .rs256)
        let key = try vector.key()
        var wrong = vector.signature
        wrong[10] ^= 1
        let sent = wrong
        await withTaskGroup(of: Bool.self) { group in
            for index in 0..<200 {
                group.addTask {
                    let isRight = index % 2 == 0
                    let signature = isRight ? vector.signature : sent
                    return key.verifies(signature[...], of: vector.message[...], by: .rs256) == isRight
                }
            }
            for await isExpected in group { #expect(isExpected) }
        }
    }
}
