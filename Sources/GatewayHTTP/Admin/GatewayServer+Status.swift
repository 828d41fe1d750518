import EventIO
import HTTPInbound
import HTTPOutbound
import JSONBytes
import Locking
import NetworkingSession
import Resilience

extension GatewayServer {
    /// Returns the gateway's state at this moment as JSON.
    ///
    /// - Parameter loops: the parts of the loops; nil for a loop that is silent.
    func status(_ loops: [GatewayReport?]) -> JSONLiteral {
        var sum = loops.compactMap(\.self).reduce(GatewayReport(), +)
        complete(&sum)
        var members: [(String, JSONLiteral)] = [
            ("name", JSONLiteral(site.name.description)),
            ("version", JSONLiteral(version.map { JSONLiteral($0) })),
            ("phase", JSONLiteral(phase.name)),
        ]
        if loops.contains(nil) { members.append(("incomplete", true)) }
        members += sum.members
        members.append(("limits", limits(of: loops.compactMap(\.self))))
        members.append(
            (
                "upstreams",
                JSONLiteral(members: sum.upstreams.sorted { $0.key < $1.key }.map { ($0.key, $0.value.json) })
            ))
        if let report = sum.configuration { members.append(("configuration", report.json)) }
        members.append(
            (
                "loops",
                JSONLiteral(
                    loops.enumerated().map { index, report in
                        JSONLiteral(
                            members: [("loop", JSONLiteral(index))] + (report?.members ?? [("silent", true)]))
                    })
            ))
        return JSONLiteral(members: members)
    }

    /// How much of each limit is used. Of a limit for each loop, the fullest loop's use is told.
    private func limits(of loops: [GatewayReport]) -> JSONLiteral {
        let configuration = current.withLock { $0.configuration }
        func fullest(_ value: (GatewayReport) -> Int) -> Int { loops.map(value).max() ?? 0 }
        func limit(_ used: Int, of limit: Int) -> JSONLiteral {
            ["used": JSONLiteral(used), "limit": JSONLiteral(limit)]
        }
        return [
            "connections": limit(loops.reduce(0) { $0 + $1.connections }, of: connectionTotal.limit),
            "requestsInFlight": limit(
                fullest(\.requests), of: configuration.inbound.requestsInFlight),
            "requestBodies": limit(fullest(\.requestBodyBytes), of: configuration.inbound.bufferedBodies),
            "waitingAnswers": limit(
                fullest(\.waitingAnswerBytes), of: configuration.inbound.waitingAnswers),
            "upstreamBodies": limit(bodyMemory.inUse, of: configuration.upstreamBodies),
        ]
    }
}

extension GatewayReport {
    /// What one loop has, or all together.
    fileprivate var members: [(String, JSONLiteral)] {
        [
            ("connections", JSONLiteral(connections)), ("requests", JSONLiteral(requests)),
            ("refusedRequests", JSONLiteral(refusedRequests)),
            ("requestBodyBytes", JSONLiteral(requestBodyBytes)),
            ("waitingAnswerBytes", JSONLiteral(waitingAnswerBytes)),
            (
                "shed",
                [
                    "idle": JSONLiteral(shed.idle), "slowHeads": JSONLiteral(shed.slowHeads),
                    "refused": JSONLiteral(shed.refused),
                ]
            ), ("refusedProxyHeaders", JSONLiteral(refusedProxyHeaders)),
            ("upstreamConnections", calls.json), ("timers", JSONLiteral(timers)),
            ("wakes", JSONLiteral(Int(wakes))),
        ]
    }
}

extension PoolReport {
    fileprivate var json: JSONLiteral {
        [
            "idle": JSONLiteral(idle), "leased": JSONLiteral(leased), "relays": JSONLiteral(relays),
            "waitingCalls": JSONLiteral(waiting), "opened": JSONLiteral(opened),
            "reused": JSONLiteral(reused),
        ]
    }
}

extension UpstreamReport {
    fileprivate var json: JSONLiteral {
        var members: [(String, JSONLiteral)] = []
        if let circuit {
            members += [("circuit", JSONLiteral(circuit.word)), ("openings", JSONLiteral(openings))]
            if case .open(let until) = circuit {
                let left = max(0, until - MonotonicTime.clock().nanoseconds)
                members.append(("secondsLeft", JSONLiteral(Double(left / 100_000_000) / 10)))
            }
        }
        if let attemptsInFlight { members.append(("attemptsInFlight", JSONLiteral(attemptsInFlight))) }
        members.append(("refusals", JSONLiteral(refusals)))
        if !addresses.isEmpty {
            members.append(
                (
                    "addresses",
                    JSONLiteral(
                        members: addresses.sorted { $0.key < $1.key }.map {
                            ($0.key, JSONLiteral($0.value.word))
                        })
                ))
        }
        return JSONLiteral(members: members)
    }
}

extension ConfigurationReport {
    fileprivate var json: JSONLiteral {
        [
            "generation": JSONLiteral(generation), "hash": JSONLiteral(hash), "reloads": JSONLiteral(reloads),
            "failedReloads": JSONLiteral(failedReloads), "isLastSuccessful": JSONLiteral(isLastSuccessful),
            "lastSuccess": JSONLiteral(Int(lastSuccess)),
        ]
    }
}

extension CircuitBreaker.State {
    fileprivate var word: String {
        switch self {
        case .closed: "closed"
        case .open: "open"
        case .halfOpen: "half_open"
        }
    }
}

extension AddressState {
    fileprivate var word: String {
        switch self {
        case .inService: "in_service"
        case .ejected: "ejected"
        case .unhealthy: "unhealthy"
        }
    }
}
