extension GatewayServerConfiguration {
    /// The settings of a gateway by their keys in a file, with the values in use as YAML writes them; nil for
    /// a value that is absent or not one scalar. Secrets are `***`.
    package var settingValues: [(key: String, value: String?)] {
        func values<Root>(_ table: SettingTable<Root>, of root: Root) -> [(key: String, value: String?)] {
            table.values(of: root).map { ("\(table.shape.title).\($0.key)", $0.value) }
        }
        func values(_ table: SettingTable<GatewayServerConfiguration>) -> [(key: String, value: String?)] {
            values(table, of: self)
        }
        let groups: Set = [
            "version", "listen", "admin", "log", "metrics", "traces", "drain", "clients", "limits",
        ]
        return values(.listen) + values(.admin) + values(.log) + values(.metrics, of: metrics)
            + values(.traces, of: traces)
            + values(.drain) + values(.clients, of: clients)
            + SettingTable.file.values(of: self).filter { !groups.contains($0.key) } + values(.limits)
    }
}
