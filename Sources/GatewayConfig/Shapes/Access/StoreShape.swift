import EndpointPlans

extension SettingTable where Root == RedisStore {
    /// A server in which processes count together.
    static let store = SettingTable(
        "a store", definition: "store", standard: RedisStore(""), required: ["redis"],
        example: "{redis: \"redis://cache:6379\"}",
        meant: [
            "url": "redis", "valkey": "redis", "address": "redis", "username": "user", "db": "database",
            "keyPrefix": "prefix",
        ],
        check: { values, changes in
            if let place = values.map["tls"]?.namePlace, !changes.applied(to: RedisStore("")).isEncrypted,
                !changes.isUnknown(values.key("redis"))
            {
                values.reader.error("\(values.key("tls")) needs a rediss address", at: place)
            }
            if values.has("user"), !values.has("password"),
                let place = changes.place(of: values.key("user"))
            {
                values.reader.error("\(values.key("user")) needs password", at: place)
            }
        }
    ) {
        Setting(
            "redis", \.url, .redisURL, "The server: redis://host[:port], rediss://host[:port] or unix:/path.")
        Setting("user", \.user, .text, "The user. By default the server's default user.")
        Setting("password", \.password, .storePassword, "The user's password.")
        Setting("database", \.database, .integer(Root.Ranges.database), "The number of the database.")
        Setting("tls", \.tls, .present(.tls), "TLS to a rediss address.")
        Setting(
            "timeout", \.timeout, .duration(Root.Ranges.timeout), "How long a request waits for the server.")
        Setting("prefix", \.prefix, .storePrefix, "The prefix of all keys.")
    }
}

extension ValueType where Value == String {
    /// The address of a server.
    fileprivate static let redisURL = ValueType(.type("string"), unknown: nil) {
        (scalar) throws(ScalarFault) in
        guard !scalar.isUnknown else { return scalar.text }
        do throws(RedisStore.Fault) {
            _ = try RedisStore.address(scalar.text)
        } catch {
            // The text may have a password, so it is not shown.
            throw .rule(error.description)
        }
        return scalar.text
    }

    /// A password, which belongs in a secret.
    fileprivate static let storePassword = secret("redis")

    fileprivate static let storePrefix = ValueType(
        .anyText, unknown: nil, written: { "\"\($0)\"" }
    ) { (scalar) throws(ScalarFault) in
        guard RedisStore.Ranges.prefix.contains(scalar.text.utf8.count) else {
            throw .unfit("has more than \(RedisStore.Ranges.prefix.upperBound) bytes")
        }
        return scalar.text
    }
}

extension ValueType where Value == [ConfigStore] {
    static let stores = ValueType.map(
        of: ValueType<SettingChanges<RedisStore>>.settings(.store)
    ) { name, changes, reader in
        guard AccessName.check(name, of: "a store", reader) else { return nil }
        return ConfigStore(name: name, changes: changes.value)
    }
}
