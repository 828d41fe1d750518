/// Finds the key type with which the standard library's dictionaries ask for a container. It is internal
/// there.
///
/// A dictionary may encode itself to the encoder of a type around it (a property wrapper, a hand-written JSON
/// value), where the type of the value does not tell that its members have a random order.
enum DictionaryKey {
    static let type: ObjectIdentifier? = {
        let probe = Probe()
        try? ["": 0].encode(to: probe)
        return probe.key
    }()

    private final class Probe: Encoder {
        private let encoder = ValueEncoder(writer: Writer(JSONBytesEncoder()), level: 0, mark: 0)
        private(set) var key: ObjectIdentifier?

        var codingPath: [any CodingKey] { [] }
        var userInfo: [CodingUserInfoKey: Any] { [:] }

        func container<Key: CodingKey>(keyedBy type: Key.Type) -> KeyedEncodingContainer<Key> {
            key = ObjectIdentifier(type)
            return encoder.container(keyedBy: type)
        }

        func unkeyedContainer() -> any UnkeyedEncodingContainer { encoder.unkeyedContainer() }

        func singleValueContainer() -> any SingleValueEncodingContainer { encoder.singleValueContainer() }
    }
}
