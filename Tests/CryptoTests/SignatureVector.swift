import Crypto
import Foundation

/// A signature and its verdict from a data file under `Vectors`. `Vectors/README.md` describes the format.
struct SignatureVector: Sendable {
    enum Verdict: String {
        case right, wrong, either, unknown
    }

    /// `ES256.txt: 12 r = 0`.
    let name: String
    let verdict: Verdict
    let algorithm: String
    /// The words of the line that describes the key.
    let keyWords: [String]
    let message: [UInt8]
    let signature: [UInt8]

    func key() throws -> VerificationKey {
        let numbers = try keyWords.dropFirst().map { try Self.bytes($0) }
        return switch keyWords[0] {
        case "rsa": try .rsa(modulus: numbers[0], exponent: numbers[1])
        case "p256": try .ellipticCurve(.p256, x: numbers[0], y: numbers[1])
        case "p384": try .ellipticCurve(.p384, x: numbers[0], y: numbers[1])
        case "ed25519": try .ed25519(numbers[0])
        case "secret": try .secret(numbers[0])
        default: throw UnreadableVector(text: keyWords.joined(separator: " "))
        }
    }

    /// Whether the signature is right; false as well if the key is refused.
    func isAccepted() -> Bool {
        guard let algorithm = SignatureAlgorithm(name: algorithm), let key = try? key() else { return false }
        return key.verifies(signature[...], of: message[...], by: algorithm)
    }

    // MARK: Reading

    struct UnreadableVector: Error {
        let text: String
    }

    /// The files below `Vectors`.
    static let files = [
        "RFC", "PyJWT", "Wycheproof/ES256", "Wycheproof/ES384", "Wycheproof/Ed25519", "Wycheproof/PS256",
        "Wycheproof/PS256-salts", "Wycheproof/RS256", "Wycheproof/RS256-large", "Wycheproof/RS384",
        "Wycheproof/RS512",
    ]

    static func read(_ file: String) throws -> [SignatureVector] {
        guard let root = Bundle.module.resourceURL?.appendingPathComponent("Vectors") else {
            throw UnreadableVector(text: "there is no folder of vectors")
        }
        let text = try String(contentsOf: root.appendingPathComponent("\(file).txt"), encoding: .utf8)
        var vectors: [SignatureVector] = []
        var algorithm = ""
        var key: [String] = []
        for line in text.split(separator: "\n") where !line.hasPrefix("#") {
            let words = line.split(separator: " ").map(String.init)
            switch words[0] {
            case "alg": algorithm = words[1]
            case "key": key = Array(words.dropFirst())
            default:
                guard let verdict = Verdict(rawValue: words[0]), words.count > 2 else {
                    throw UnreadableVector(text: "\(file): \(line)")
                }
                let (message, signature) = try parts(words)
                let comment = words.dropFirst(4).joined(separator: " ")
                vectors.append(
                    SignatureVector(
                        name: "\(file): \(words[1]) \(comment)", verdict: verdict, algorithm: algorithm,
                        keyWords: key, message: message, signature: signature))
            }
        }
        return vectors
    }

    /// Returns a right signature of a message that is not empty.
    static func first(of algorithm: SignatureAlgorithm) throws -> SignatureVector {
        guard let vector = rightByAlgorithm[algorithm] else {
            throw UnreadableVector(text: "no vector for \(algorithm.name)")
        }
        return vector
    }

    private static let rightByAlgorithm: [SignatureAlgorithm: SignatureVector] = {
        let files = ["RFC", "PyJWT", "Wycheproof/ES384", "Wycheproof/PS256", "Wycheproof/RS512"]
        let vectors = files.flatMap { (try? read($0)) ?? [] }
        let right = vectors.filter { $0.verdict == .right && !$0.message.isEmpty }
        let pairs = right.compactMap { vector in
            SignatureAlgorithm(name: vector.algorithm).map { ($0, vector) }
        }
        return Dictionary(pairs) { first, _ in first }
    }()

    private static func parts(_ words: [String]) throws -> ([UInt8], [UInt8]) {
        guard words.count == 3 else { return (try bytes(words[2]), try bytes(words[3])) }
        guard let point = words[2].lastIndex(of: ".") else { throw UnreadableVector(text: words[2]) }
        return (Array(words[2][..<point].utf8), try bytes(String(words[2][point...].dropFirst())))
    }

    private static func bytes(_ text: String) throws -> [UInt8] {
        guard let bytes = text == "-" ? [] : Base64URL.decode(text) else {
            throw UnreadableVector(text: text)
        }
        return bytes
    }
}
