import type { ProjectScope } from '@/server/platform/auth/scope.ts'
import { findLogPlace } from '@/server/sessions/log/session-log.sql.ts'
import { type DecisionExplanation, explainDecision } from './decision-explanation.ts'
import { code, fenced, inline } from './markdown.ts'
import {
  buildReport,
  capturedEvents,
  footerLines,
  type ReportBody,
  reportAnnotations,
  utcText,
  verificationText,
} from './report-parts.ts'

function capturedJson(explanation: DecisionExplanation, events: readonly object[]): object {
  const { session, seq, at, decision, verdict, message, config, result, sdk, content } = explanation
  return {
    at: new Date(at).toISOString(),
    session: session.id,
    seq,
    runtime: sdk,
    environment: session.environment,
    ns: session.ns,
    key: session.key,
    config: { digest: config?.digest ?? session.configDigest, version: config?.number ?? null },
    tool: decision.tool,
    decision: verdict,
    message,
    result: result === null ? null : { seq: result.seq, outcome: result.outcome },
    content,
    events,
  }
}

function computedJson({ rules, allow, same, reasonClasses }: DecisionExplanation): object {
  return {
    reason_classes: reasonClasses,
    policies: rules.map(({ rule, pointer, type, mode, result, sentence, text, facts }) => ({
      rule,
      pointer,
      type,
      mode,
      result,
      sentence,
      text,
      facts,
    })),
    would_be_allowed_after: allow,
    same_call: same.map(({ id, seq, decision }) => ({ id, seq, decision })),
  }
}

function formatAllowLines({ kind, allow }: DecisionExplanation): readonly string[] {
  if (kind === 'content') return []
  return [
    ...['', '## What would allow it (computed)', ''],
    ...(allow.length === 0
      ? ['None. The call was allowed.']
      : allow.map(
          ({ text, owner, rule }, i) => `${i + 1}. ${inline(text)} (${owner}, ${code(rule)})`,
        )),
  ]
}

function formatContentLines({ content }: DecisionExplanation): readonly string[] {
  if (content === null || content.places.length === 0) return []
  return [
    ...['', `## Found in the ${content.on} (captured)`, ''],
    ...['| Kind | Place | From | Length | Rule | Same text at |', '|---|---|---|---|---|---|'],
    ...content.places.map(
      ({ kind, pointer, offset, length, rule, alsoAt }) =>
        `| ${inline(kind)} | ${code(pointer === '' ? '/' : pointer)} | ${offset + 1} | ${length} | ${inline(rule)} | ${alsoAt.map((seq) => `#${seq}`).join(', ')} |`,
    ),
    ...[
      '',
      `Detectors: ${content.detectors.map(({ name, version }) => inline(`${name} ${version}`)).join(', ')}`,
    ],
  ]
}

function formatDecisionLines(explanation: DecisionExplanation): readonly string[] {
  const { kind, decision, verdict, message, session, seq, at, config, rules, request } = explanation
  const version = config === null ? '' : `@v${config.number}`
  const subject = kind === 'call' ? 'Call' : 'Result'
  const none = kind === 'call' ? 'None. The call was allowed.' : 'None.'
  return [
    `# ${inline(explanation.sentence)}`,
    '',
    `${subject} ${verdict} · ${code(decision.tool)} · ${utcText(at)} · ${session.id} #${seq} · ${session.ns}/${session.key}${version} in ${session.environment}`,
    ...formatAllowLines(explanation),
    ...formatContentLines(explanation),
    ...['', '## Policies', '', '| Result | Policy | Why | It read |', '|---|---|---|---|'],
    ...rules.map(
      ({ result, rule, sentence, facts }) =>
        `| ${result.replaceAll('_', ' ')} | ${inline(rule)} | ${inline(sentence)} | ${inline(facts.join('; '))} |`,
    ),
    ...['', '## Message the agent received (captured)', ''],
    ...(message === null ? [none] : fenced(message)),
    ...['', '## Arguments (captured)', ''],
    ...(request === null ? ['Not captured.'] : fenced(JSON.stringify(request.args, null, 2))),
    '',
  ]
}

/** Rejects with `not_found` when the project has no such decision. `now` in epoch ms. */
export async function decisionReport(
  scope: ProjectScope,
  id: string,
  now: number,
): Promise<{ readonly json: string; readonly md: string }> {
  const explanation = await explainDecision(scope, id)
  const { session, seq, request, result, kind, verdict, record } = explanation
  const place = await findLogPlace(scope.projectId, session.id)
  const inspected = kind === 'content' && result !== null ? [result.seq] : []
  const seqs = [...(request === null ? [] : [request.seq]), ...inspected, seq]
  const events = place === null ? [] : await capturedEvents(place, seqs)
  const body: ReportBody = {
    kind: 'decision',
    id,
    path: `/decisions/${id}`,
    verdict,
    sentence: explanation.sentence,
    captured: capturedJson(explanation, events),
    computed: computedJson(explanation),
    redactions: request?.redactions ?? [],
    verification: verificationText(record, session),
    annotations: await reportAnnotations(scope.projectId, session.id, seqs),
  }
  const report = buildReport(body, now)
  return {
    json: report.json,
    md: [...formatDecisionLines(explanation), ...footerLines(body, report)].join('\n'),
  }
}
