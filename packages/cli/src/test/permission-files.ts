// Permission files in the shape of public projects, and the decision of an imported config about a call.
import { compileConfig, initialState, type JsonObject, SEMANTICS, step } from '@signalbox/core'
import { celExpressions } from '@signalbox/core/expression'
import type { ImportedPermissions } from '../permissions/index.ts'

export type Verdict = 'allowed' | 'asked' | 'denied'

const expressions = celExpressions()

/** Returns the decision of a fresh session about one call. */
export function makeJudge(document: ImportedPermissions['document']) {
  const compiled = compileConfig(document, { expressions })
  if (!compiled.ok) throw new Error(JSON.stringify(compiled.problems.slice(0, 3)))
  const { config } = compiled
  const started = {
    ns: 'a',
    key: 'b',
    environment: 'dev',
    harness: { name: 'any' },
    semantics: SEMANTICS,
  }
  const { state } = step(config, initialState('a:b'), {
    session: 'sess_1',
    seq: 1,
    at: 1,
    type: 'session.started',
    data: started,
  })
  return (tool: string, args: JsonObject): Verdict => {
    const { effects } = step(config, state, {
      session: 'sess_1',
      seq: 2,
      at: 2,
      type: 'tool.requested',
      data: { call_id: 'c', tool, args },
    })
    const [effect] = effects
    if (effect?.kind === 'approval.requested') return 'asked'
    return effect?.kind === 'tool.decided' && effect.data.decision === 'allowed'
      ? 'allowed'
      : 'denied'
  }
}

/** A web application: scripts allowed, secrets denied. */
export const WEB_PROJECT = `{
  "$schema": "https://json.schemastore.org/claude-code-settings.json",
  // Shared by the team.
  "permissions": {
    "allow": ["Bash(npm run lint)", "Bash(npm run test:*)", "Edit(src/**)"],
    "ask": ["Bash(git push:*)", "Bash(npm publish:*)", "Edit(./infra/**)"],
    "deny": [
      "Read(./.env)", "Read(./.env.*)", "Read(./secrets/**)",
      "Bash(curl:*)", "Bash(rm -rf *)", "WebFetch(domain:pastebin.com)",
    ],
    "defaultMode": "acceptEdits",
    "additionalDirectories": ["../docs/"],
  },
  "hooks": {
    "PostToolUse": [
      { "matcher": "Edit|Write", "hooks": [{ "type": "command", "command": "npx prettier --write" }] },
    ],
  },
}
`

/** A data team: servers and agents. */
export const DATA_PROJECT = JSON.stringify({
  permissions: {
    allow: ['mcp__postgres__query', 'WebSearch'],
    ask: ['mcp__github__create_pull_request', 'mcp__slack', 'Agent(deployer)'],
    deny: ['mcp__Warehouse__dropTable', 'mcp__github__delete_*', 'NotebookEdit', 'Read(~/.aws/**)'],
    defaultMode: 'default',
    disableBypassPermissionsMode: 'disable',
  },
  disabledMcpjsonServers: ['filesystem'],
  enabledMcpjsonServers: ['postgres'],
})

/** A library with Codex: settings, and rules in a file of their own. */
export const CODEX_PROJECT = `
profile = "careful"
approval_policy = "on-request"
sandbox_mode = "workspace-write"

[sandbox_workspace_write]
network_access = false
writable_roots = ["/var/cache/build"]

[profiles.careful]
approval_policy = "untrusted"

[profiles.fast]
approval_policy = "never"

[projects."/home/dev/lib"]
trust_level = "trusted"

[mcp_servers.docs]
command = "docs-server"
enabled_tools = ["search", "open"]

[mcp_servers.tickets]
url = "https://tickets.example/mcp"
disabled_tools = ["close"]

[mcp_servers.tickets.tools.create]
approval_mode = "prompt"

[mcp_servers.legacy]
command = "legacy"
enabled = false
`

export const CODEX_RULES = `
# Reviewed by the maintainers.
prefix_rule(
    pattern = ["git", ["push", "fetch"]],
    decision = "prompt",
    match = ["git push origin main"],
)
prefix_rule(pattern = ["rm", "-rf"], decision = "forbidden", justification = "Use trash.")
prefix_rule(pattern = ["cargo", "test"], decision = "allow")
host_executable(name = "git", paths = ["/usr/bin/git"])
load("other.rules", "rule")
`
