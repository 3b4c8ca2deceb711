// In its fastest form: the policy set is parsed once, and request objects are built before the clock starts. Cedar keeps no session.
import { preparsePolicySet, statefulIsAuthorized } from '@cedar-policy/cedar-wasm/nodejs'
import { describeExistence, describeSeen, READERS } from './question.mjs'

const SESSION = { type: 'Session', id: 'sess_bench' }
const RESOURCE = { type: 'Call', id: 'probe' }

/** `facts`: the host passes one word per reading tool. `session`: the host passes the whole session as the principal's attributes. */
const STYLES = {
  facts: {
    name: '@cedar-policy/cedar-wasm, the call’s facts only',
    succeeded: (tool) => `context.succeeded.contains("${tool}")`,
    seen: (reader) => `context.${reader} == "current"`,
    prepare: ({ notes }) => {
      const succeeded = [...notes.succeeded]
      return (call) => ({
        entities: [],
        context: {
          exists: describeExistence(call.fact),
          succeeded,
          ...Object.fromEntries(
            READERS.map((reader) => [reader, describeSeen(notes, reader, call)]),
          ),
        },
      })
    },
  },
  session: {
    name: '@cedar-policy/cedar-wasm, the session as an entity',
    succeeded: (tool) => `principal.succeeded.contains("${tool}")`,
    seen: (reader) => `principal.${reader}.contains(context.content)`,
    prepare: ({ notes }) => {
      const read = READERS.map((reader) => [
        reader,
        [...notes.seen[reader]].map(([path, fingerprint]) => `${path}@${fingerprint}`),
      ])
      const attrs = { succeeded: [...notes.succeeded], ...Object.fromEntries(read) }
      const entities = [{ uid: SESSION, attrs, parents: [] }]
      return ({ path, fact }) => ({
        entities,
        context: { exists: describeExistence(fact), content: `${path}@${fact.fingerprint ?? ''}` },
      })
    },
  },
}

function toCedarPolicies(document, style) {
  const forbidden = document.policies.flatMap((rule) =>
    rule.type === 'sequential_dependency'
      ? Object.entries(rule.dependencies).map(([tool, needed]) =>
          forbid(rule.id, tool, needed.map(style.succeeded).join(' && ')),
        )
      : rule.write_tools.map((tool) =>
          forbid(rule.id, tool, fileCondition(rule.read_tools.map(style.seen).join(' || '))),
        ),
  )
  return Object.fromEntries([['all', 'permit(principal, action, resource);'], ...forbidden])
}

function fileCondition(seen) {
  return `context.exists == "no" || (context.exists == "file" && (${seen}))`
}

function forbid(id, tool, unless) {
  return [id, `forbid(principal, action == Action::"${tool}", resource) unless { ${unless} };`]
}

/** @param {'facts' | 'session'} styleName */
export function cedar(document, styleName) {
  const style = STYLES[styleName]
  const id = `bench-${styleName}`
  const parsed = preparsePolicySet(id, { staticPolicies: toCedarPolicies(document, style) })
  if (parsed.type === 'failure') throw new Error(JSON.stringify(parsed.errors))
  return {
    name: style.name,
    prepare(session) {
      const rest = style.prepare(session)
      return (call) => ({
        principal: SESSION,
        action: { type: 'Action', id: call.tool },
        resource: RESOURCE,
        preparsedPolicySetId: id,
        ...rest(call),
      })
    },
    ask(request) {
      const answer = statefulIsAuthorized(request)
      if (answer.type === 'failure') throw new Error(JSON.stringify(answer.errors))
      if (answer.response.diagnostics.errors.length > 0)
        throw new Error(JSON.stringify(answer.response.diagnostics.errors))
      return answer.response.decision === 'allow'
    },
  }
}
