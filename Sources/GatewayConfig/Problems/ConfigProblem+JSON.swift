import JSONBytes

extension ConfigProblem {
    /// Returns problems as a JSON document, for `--format json`:
    ///
    ///     {"errors":1,"warnings":0,"problems":[{"severity":"error","file":"sluice.yaml","line":3,
    ///      "column":9,"message":"..."}]}
    ///
    /// - Parameter series: how many series the metrics of the file have at most; nil to leave that out.
    package static func json(_ problems: [ConfigProblem], series: Int? = nil) -> [UInt8] {
        var composer = JSONComposer(sharedFragmentLength: .max)
        composer.beginObject()
        composer.key("errors")
        composer.int(problems.count { $0.severity == .error })
        composer.key("warnings")
        composer.int(problems.count { $0.severity == .warning })
        composer.key("problems")
        composer.beginArray()
        for problem in problems {
            composer.beginObject()
            composer.key("severity")
            composer.string(problem.severity.rawValue)
            composer.key("file")
            composer.string(problem.file)
            composer.key("line")
            composer.int(problem.line)
            composer.key("column")
            composer.int(problem.column)
            composer.key("message")
            composer.string(problem.message)
            composer.endObject()
        }
        composer.endArray()
        if let series {
            composer.key("series")
            composer.int(series)
        }
        composer.endObject()
        return Array(composer.fragment().bytes)
    }
}
