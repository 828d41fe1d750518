import FoundationEssentials

/// What becomes of the names of members.
enum KeyStrategy {
    case plain
    case fromSnakeCase
    case custom(@Sendable ([any CodingKey]) -> any CodingKey)

    init(_ strategy: JSONDecoder.KeyDecodingStrategy) {
        switch strategy {
        case .useDefaultKeys: self = .plain
        case .convertFromSnakeCase: self = .fromSnakeCase
        case .custom(let convert): self = .custom(convert)
        @unknown default: self = .plain
        }
    }

    var asksForPath: Bool {
        switch self {
        case .plain, .fromSnakeCase: false
        case .custom: true
        }
    }

    /// - Parameter path: of the object whose member it is, where the strategy asks for it.
    func name(of raw: String, _ path: [any CodingKey]) -> String {
        switch self {
        case .plain: raw
        case .fromSnakeCase: SnakeCase.camelCase(raw)
        case .custom(let convert): convert(path + [PathKey(raw)]).stringValue
        }
    }
}
