package import EndpointPlans

/// A time in nanoseconds.
package typealias Nanoseconds = Int
/// A size in bytes.
package typealias ByteCount = Int

/// A configuration: the root file with those that it includes. Nil stands for a default of the gateway.
package struct ConfigDocument: Sendable {
    /// The names of the files, by the index that places have; the first is the root file.
    package var files: [String] = []
    /// The values with variables in them, as the files have them. Output shows these texts, not the values.
    package var variableTexts: [ConfigPlace: String] = [:]
    /// The lists and mappings of JSON with variables in them.
    package var variableComposites: Set<ConfigPlace> = []
    /// The values of variables and secrets that were read, with the variables as the files have them. Not for output.
    package var variableValues: [String: String] = [:]

    package var listen = ConfigListen()
    package var logLevel: Located<ConfigLogLevel>?
    /// Whether each request is logged.
    package var logsAccess: Located<Bool>?
    package var drainDelay: Located<Nanoseconds>?
    /// From the start of a drain to the reset of the remaining connections.
    package var drainDeadline: Located<Nanoseconds>?
    /// The gateway's name in `Via` and `Proxy-Status`.
    package var name: Located<String>?
    /// The host names to answer for, or only `any`.
    package var hosts: [Located<String>]?
    /// The folder of static files.
    package var publicFolder: Located<String>?
    package var timeline: Located<Bool>?
    /// A proxy's URL, or `environment`.
    package var proxy: Located<String>?
    package var noProxy: [Located<String>]?
    package var cors: Located<ConfigCORS>?
    package var compression: Located<ConfigSwitch<ConfigCompression>>?
    /// A folder for answers that wait for slow readers.
    package var spoolFolder: Located<String>?
    package var limits = ConfigLimits()
    package var schemas: [NamedSchema] = []
    package var upstreams: [ConfigUpstream] = []
    /// In the order of the files, with `defaults` applied.
    package var endpoints: [PlannedEndpoint] = []
    /// The endpoints whose requests pass through.
    package var proxies: [PlannedProxy] = []

    package init() {}
}

package struct ConfigListen: Sendable {
    /// A numeric address, or `localhost`.
    package var host: Located<String>?
    package var port: Located<Int>?
    package var loops: Located<Int>?
}

package struct ConfigCompression: Sendable, Equatable {
    /// Bytes from which a whole answer is compressed.
    package var minimum: Located<ByteCount>?
    /// For each loop.
    package var streams: Located<Int>?
}

/// What the gateway logs.
package struct ConfigLog: Sendable {
    package var level: Located<ConfigLogLevel>?
    package var access: Located<Bool>?
}

/// How the gateway stops.
package struct ConfigDrain: Sendable {
    package var delay: Located<Nanoseconds>?
    package var deadline: Located<Nanoseconds>?
}

package enum ConfigLogLevel: String, Sendable, CaseIterable {
    case debug, info, warning, error
}

/// The scripts of other origins that may call the gateway.
package struct ConfigCORS: Sendable {
    package enum Origins: Sendable, Equatable {
        case any
        case list([Located<String>])
    }

    package var origins: Origins
    package var methods: [Located<String>]?
    package var headers: [Located<String>]?
    package var exposedHeaders: [Located<String>]?
    package var maxAge: Located<Nanoseconds>?
    package var allowsCredentials: Located<Bool>?
}

package struct ConfigLimits: Sendable {
    /// The time for an answer, from the end of the request's body.
    package var deadline: Located<Nanoseconds>?
    package var requestBody: Located<ByteCount>?
    /// The size of a merged answer.
    package var answer: Located<ByteCount>?
    /// For each loop.
    package var requestsInFlight: Located<Int>?
    /// The bytes of all upstream bodies that the process holds.
    package var upstreamBodies: Located<ByteCount>?
    package var connections: Located<Int>?
    /// Bytes a second that a client must acknowledge on average.
    package var sendRate: Located<ByteCount>?
    /// How long a connection of a client may be idle.
    package var keepAlive: Located<Nanoseconds>?

    package static let defaultDeadline: Nanoseconds = 15_000_000_000
}
