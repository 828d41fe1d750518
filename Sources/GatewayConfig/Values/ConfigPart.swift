package import JSONBytes

/// A named part of an answer.
package struct ConfigPart: Sendable {
    /// `data` for an endpoint's only part.
    package var name: Located<String>
    package var kind: Kind
    /// Only these members are kept; nil for all.
    package var keep: [Located<JSONMemberPath>]?
    package var drop: [Located<JSONMemberPath>] = []
    package var rename: [ConfigRename] = []
    /// Whether its members go into the enclosing object.
    package var isMerged = false
    package var policy = Policy.required
    /// Whether it is only for references.
    package var isHidden = false
    /// Documents the value.
    package var schema: ConfigSchema?
    package var when: ConfigCondition?

    package indirect enum Kind: Sendable {
        case call(ConfigCall)
        case forEach(ConfigForEach)
        case group(ConfigGroup)
        /// Composed from references, without a call.
        case value(ConfigValue)
    }

    /// What a failure means for the object around the part.
    package enum Policy: Sendable {
        case required
        case optional
        /// JSON without references.
        case fallback(Located<JSONFragment>)
    }
}

/// A call to an upstream.
package struct ConfigCall: Sendable {
    package var upstream: Located<String>
    package var request: ConfigRequest
    package var timeout: Located<Nanoseconds>?
    package var attempts: Located<Int>?
    /// The place of the value in the upstream's data.
    package var pick: Located<JSONPointer>?
    package var expect: Located<ConfigKind>?
}

/// A call for each item of an array.
package struct ConfigForEach: Sendable {
    package enum ItemFailure: String, Sendable, CaseIterable {
        case null, drop, fail
    }

    package var call: ConfigCall
    /// A reference to the array.
    package var items: ConfigReference
    /// How many calls are in flight. Default 8.
    package var concurrency: Located<Int>?
    /// The most items. Default 100.
    package var limit: Located<Int>?
    /// Default `null`.
    package var itemFailure: Located<ItemFailure>?
    /// The fewest successes, from 0. Default 1 if there are items.
    package var atLeast: Located<Int>?

    package static let defaultConcurrency = 8
    package static let defaultLimit = 100
}

/// Parts that make an object.
package struct ConfigGroup: Sendable {
    package var parts: [ConfigPart]
    /// A quorum: the fewest members that must succeed. All members are then optional.
    package var atLeast: Located<Int>?
}

/// What runs before the parts: a call, or calls that start together. The failure of a call fails the endpoint.
package struct ConfigStep: Sendable {
    package indirect enum Kind: Sendable {
        case call(ConfigCall)
        /// Each step of a group is a call.
        case group([ConfigStep])
    }

    package var name: Located<String>
    package var kind: Kind

    /// The call of the part, or the calls of its group.
    package var calls: [ConfigCall] {
        switch kind {
        case .call(let call): [call]
        case .group(let steps): steps.flatMap(\.calls)
        }
    }
}

/// The kind of a JSON value.
package enum ConfigKind: String, Sendable, CaseIterable {
    case object, array, string, number, boolean
}

package struct ConfigRename: Sendable {
    package var path: Located<JSONMemberPath>
    package var name: Located<String>
}

/// When a part is fetched: if a reference has a value other than null and false.
package struct ConfigCondition: Sendable {
    package var reference: ConfigReference
    /// Whether it is fetched in the opposite case.
    package var isNegated: Bool
}
