import EndpointPlans
import Testing

@testable import GatewayConfig

@Suite("F2: The root file includes others")
struct ConfigFilesTests {
    private struct Read {
        var names: [String] = []
        var problems: [String] = []
        var isComplete = true
    }

    private func read(_ files: [String: String], _ patterns: [String], root: String = "conf/sluice.yaml")
        -> Read
    {
        let source = MemorySource(files: files)
        let problems = ProblemList()
        var reader = ConfigFiles(
            source, VariableReader(source, isStatic: false, problems: problems), problems)
        if reader.readRoot(root) != nil {
            reader.include(
                patterns.enumerated().map {
                    Located($0.element, at: ConfigPlace(file: 0, line: 1, column: 1 + $0.offset))
                })
        }
        return Read(
            names: reader.names, problems: problems.sorted(files: reader.names).map(\.description),
            isComplete: reader.isComplete)
    }

    @Test("Paths are relative to the root file, in the order of the list and of their bytes")
    func order() {
        let files = [
            "conf/sluice.yaml": "a: 1", "conf/b.yaml": "b: 1", "conf/e/2.yaml": "c: 1",
            "conf/e/1.yaml": "d: 1",
            "conf/e/3.txt": "e: 1",
        ]
        let read = read(files, ["b.yaml", "e/*.yaml"])
        #expect(read.names == ["conf/sluice.yaml", "conf/b.yaml", "conf/e/1.yaml", "conf/e/2.yaml"])
        #expect(read.problems.isEmpty)
        #expect(read.isComplete)
    }

    @Test("A pattern leaves out what is read already; a path that is named twice is an error")
    func twice() {
        let files = ["conf/sluice.yaml": "a: 1", "conf/b.yaml": "b: 1"]
        #expect(read(files, ["b.yaml", "*.yaml"]).names == ["conf/sluice.yaml", "conf/b.yaml"])
        #expect(
            read(files, ["*.yaml", "b.yaml"]).problems == [
                "conf/sluice.yaml:1:2: error: the file \"conf/b.yaml\" is included twice"
            ])
    }

    @Test("A file that cannot be read is an error at its entry, and the others are read")
    func unreadable() {
        let read = read(
            ["conf/sluice.yaml": "a: 1", "conf/b.yaml": "b: ["], ["none.yaml", "/b.yaml", "x*", "b.yaml"])
        #expect(
            read.problems == [
                "conf/sluice.yaml:1:1: error: the file \"conf/none.yaml\" cannot be read: no such file",
                "conf/sluice.yaml:1:2: error: include takes paths relative to this file",
                "conf/sluice.yaml:1:3: error: no file matches this pattern",
                "conf/b.yaml:1:5: error: while parsing a flow node from line 1: did not find expected node content",
            ])
        #expect(!read.isComplete)
        #expect(
            self.read([:], []).problems == [
                "conf/sluice.yaml:1:1: error: the file cannot be read: no such file"
            ])
    }

    @Test("F4: 256 files are read, and the values of all count together")
    func limits() {
        var files = Dictionary(uniqueKeysWithValues: (0..<256).map { ("e/\(1000 + $0).yaml", "a: 1") })
        files["sluice.yaml"] = "a: 1"
        let many = read(files, ["e/*.yaml"], root: "sluice.yaml")
        #expect(many.names.count == 256)
        #expect(many.problems == ["sluice.yaml:1:1: error: more than 256 files"])
        // 1000 lists of 600 aliases, in each of two files.
        let list = "[\(Array(repeating: "*a", count: 600).joined(separator: ", "))]\n"
        let large = "a: &a 1\n" + (0..<1000).map { "b\($0): \(list)" }.joined()
        let two = read(["sluice.yaml": large, "b.yaml": large], ["b.yaml"], root: "sluice.yaml")
        #expect(two.problems.count == 1)
        #expect(two.problems.first?.hasPrefix("b.yaml:663:") == true, "\(two.problems)")
    }
}
