import HTTPModel
import JSONBytes

extension EndpointReport {
    /// Returns plans as a JSON document, for `--format json`. Times are milliseconds; what depends on a
    /// variable is null.
    ///
    ///     {"endpoints":[{"method":"GET","path":"/v1/profile/{id}","file":"profile.yaml","line":5,"steps":[],
    ///      "parts":[...],"deadlineMs":4000,"chainMs":16000,"slowest":["user","friends"],"worstMs":4000,
    ///      "calls":{"least":4,"most":165},"authorization":["api"],"cookies":[]},
    ///      {"methods":["GET","POST"],"path":"/images/{path...}","file":"profile.yaml","line":30,
    ///      "passes":[{"methods":["GET"],"upstream":"images","path":"/{path...}",
    ///      "calls":{"least":1,"most":3}},...],"firstByteMs":5000,"deadlineMs":15000,
    ///      "calls":{"least":1,"most":3},"authorization":[],"cookies":[]}]}
    ///
    /// An endpoint with a requirement or limits has three further members:
    ///
    ///     "require":{"any":["web"],"scopes":[],"claims":{},"optional":false},"rateLimits":["perUser"],
    ///      "auth":[{"name":"auth.web","kind":"call",...}]
    ///
    /// `capacity` adds a member.
    package static func json(_ plans: [EndpointReport], _ capacity: CapacityReport? = nil) -> [UInt8] {
        var composer = JSONComposer(sharedFragmentLength: .max)
        composer.beginObject()
        composer.key("endpoints")
        composer.beginArray()
        for plan in plans {
            switch plan {
            case .calls(let plan): plan.write(to: &composer)
            case .proxy(let plan): plan.write(to: &composer)
            }
        }
        composer.endArray()
        if let capacity { capacity.write(to: &composer) }
        composer.endObject()
        return Array(composer.fragment().bytes)
    }
}

extension CallReport {
    fileprivate func write(to composer: inout JSONComposer) {
        composer.beginObject()
        composer.member("method", method.rawValue)
        composer.member("path", path)
        composer.member("file", file)
        composer.key("line")
        composer.int(line)
        composer.rows("steps", steps)
        composer.rows("parts", parts)
        composer.milliseconds("deadlineMs", deadline)
        composer.milliseconds("chainMs", chain)
        composer.texts("slowest", slowest)
        composer.milliseconds("worstMs", worst)
        composer.calls(calls)
        composer.texts("authorization", authorization)
        composer.texts("cookies", cookies)
        composer.access(access)
        composer.endObject()
    }
}

extension ProxyReport {
    fileprivate func write(to composer: inout JSONComposer) {
        composer.beginObject()
        composer.texts("methods", methods)
        composer.member("path", path)
        composer.member("file", file)
        composer.key("line")
        composer.int(line)
        composer.key("passes")
        composer.beginArray()
        for row in rows {
            composer.beginObject()
            composer.texts("methods", row.methods)
            composer.member("upstream", upstream)
            composer.member("path", upstreamPath)
            composer.calls(row.calls)
            composer.endObject()
        }
        composer.endArray()
        composer.milliseconds("firstByteMs", firstByte)
        composer.milliseconds("deadlineMs", deadline)
        composer.calls(calls)
        composer.texts("authorization", authorization)
        composer.texts("cookies", cookies)
        composer.access(access)
        composer.endObject()
    }
}

extension JSONComposer {
    /// Writes who may call and how often, if not everyone may call at any time.
    fileprivate mutating func access(_ access: RequirementReport) {
        guard !access.isOpen else { return }
        key("require")
        beginObject()
        texts("any", access.entries)
        texts("scopes", access.scopes)
        key("claims")
        beginObject()
        for claim in access.claims { texts(claim.name, claim.values) }
        endObject()
        key("optional")
        bool(access.isOptional)
        endObject()
        texts("rateLimits", access.rateLimits)
        rows("auth", access.rows)
    }

    fileprivate mutating func member(_ name: String, _ text: String) {
        key(name)
        string(text)
    }

    fileprivate mutating func texts(_ name: String, _ texts: [String]) {
        key(name)
        beginArray()
        for text in texts { string(text) }
        endArray()
    }

    fileprivate mutating func number(_ name: String, _ number: ReportNumber) {
        key(name)
        if let value = number.value { int(value) } else { null() }
    }

    /// Writes nanoseconds as milliseconds with the digits that they need.
    fileprivate mutating func milliseconds(_ name: String, _ time: ReportNumber) {
        key(name)
        guard let value = time.value else { return null() }
        if value.isMultiple(of: 1_000_000) {
            int(value / 1_000_000)
        } else {
            double(Double(value) / 1_000_000)
        }
    }

    fileprivate mutating func calls(_ calls: CallRange) {
        key("calls")
        beginObject()
        key("least")
        int(calls.least)
        number("most", calls.most)
        endObject()
    }

    fileprivate mutating func rows(_ name: String, _ rows: [ReportRow]) {
        key(name)
        beginArray()
        for row in rows { self.row(row) }
        endArray()
    }

    private mutating func row(_ row: ReportRow) {
        beginObject()
        member("name", row.name)
        switch row.kind {
        case .call(let target):
            member("kind", "call")
            self.target(target)
        case .forEach(let target, let limit, let concurrency):
            member("kind", "forEach")
            self.target(target)
            number("limit", limit)
            number("concurrency", concurrency)
        case .group(let members, let atLeast):
            member("kind", atLeast == nil ? "group" : "quorum")
            if let atLeast { number("atLeast", atLeast) }
            rows("parts", members)
        case .value: member("kind", "value")
        }
        texts("after", row.after)
        if let condition = row.condition { member(condition.isNegated ? "unless" : "if", condition.text) }
        calls(row.calls)
        milliseconds("timeMs", row.time)
        endObject()
    }

    private mutating func target(_ target: ReportTarget) {
        member("method", target.method.rawValue)
        member("upstream", target.upstream)
        member("path", target.path)
    }
}
