package import EndpointPlans
import GatewayCore

/// A time in nanoseconds.
package typealias Nanoseconds = Int
/// A size in bytes.
package typealias ByteCount = Int

/// A configuration: the root file with those that it includes.
package struct ConfigDocument: Sendable {
    /// The names of the files, by the index that places have; the first is the root file.
    package var files: [String] = []
    /// The SHA-256 of the bytes of these files, one after the other, as hexadecimal digits.
    package var hash = ""
    /// The values with variables in them, as the files have them. Output shows these texts, not the values.
    package var variableTexts: [ConfigPlace: String] = [:]
    /// The lists and mappings of JSON with variables in them.
    package var variableComposites: Set<ConfigPlace> = []
    /// The values of variables and secrets that were read, with the variables as the files have them. Not for
    /// output.
    package var variableValues: [String: String] = [:]

    /// What the root file sets of the gateway.
    package var changes = SettingChanges<GatewayServerConfiguration>()
    /// How clients prove who they are, in the order of the file.
    package var auth: [ConfigAuth] = []
    /// The limits on requests.
    package var rateLimits: [ConfigRateLimit] = []
    /// The servers in which processes count together.
    package var stores: [ConfigStore] = []
    package var schemas: [NamedSchema] = []
    package var upstreams: [ConfigUpstream] = []
    /// In the order of the files, with `defaults` applied.
    package var endpoints: [PlannedEndpoint] = []
    /// The endpoints whose requests pass through.
    package var proxies: [PlannedProxy] = []

    package init() {}

    /// The settings, with the defaults of a gateway.
    package var settings: GatewayServerConfiguration { changes.applied(to: SettingTable.file.standard) }

    /// The time for an answer, if the file sets it for all endpoints.
    var deadline: Located<Nanoseconds>? {
        changes.place(of: "limits.deadline").map { Located(settings.limits.deadline.inNanoseconds, at: $0) }
    }

    /// The gateway's name, if the file sets it.
    var name: Located<String>? { changes.place(of: "name").map { Located(settings.name, at: $0) } }
}
