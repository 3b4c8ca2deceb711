import type { CheckNode } from '@signalbox/core/analysis'
import { plural } from '@signalbox/core/analysis'
import type { ProjectScope } from '@/server/platform/auth/scope.ts'
import { findLogPlace } from '@/server/sessions/log/session-log.sql.ts'
import { fenced, inline } from './markdown.ts'
import {
  buildReport,
  capturedEvents,
  footerLines,
  type ReportBody,
  reportAnnotations,
  utcText,
  verificationText,
} from './report-parts.ts'
import { type StopExplanation, stopExplanation } from './stop-explanation.ts'

function checkJson(node: CheckNode): object {
  const { checker, pointer, type, status, sentence, because, children } = node
  return {
    checker,
    pointer,
    type,
    status,
    sentence,
    because,
    ...(children === null ? {} : { children: children.map(checkJson) }),
  }
}

function capturedJson(explanation: StopExplanation, events: readonly object[]): object {
  const { stop, session, config, evidence, record, sdk } = explanation
  return {
    at: new Date(stop.at).toISOString(),
    session: session.id,
    seq: stop.seq,
    environment: stop.environment,
    ns: stop.ns,
    key: stop.key,
    via: stop.via,
    attempt: stop.attempt,
    code: stop.code,
    bypass: stop.bypass,
    runtime: sdk,
    config: { digest: stop.configDigest, version: config?.number ?? null },
    message: record?.message ?? null,
    checks: record?.checks == null ? null : checkJson(record.checks),
    deadline_at: evidence?.deadlineAt == null ? null : new Date(evidence.deadlineAt).toISOString(),
    budget: evidence?.budget ?? null,
    events,
  }
}

function computedJson({ computed, record, attempts, config }: StopExplanation): object {
  return {
    told: record?.told ?? null,
    unblock: computed?.unblock ?? null,
    released_without: computed?.releasing ?? null,
    rest: computed?.rest == null ? null : checkJson(computed.rest.root),
    computed_with: computed === null ? null : (config?.number ?? null),
    attempts: attempts.map(({ stop, progress, since }) => ({
      id: stop.id,
      verdict: stop.verdict,
      reason: stop.reason,
      at: new Date(stop.at).toISOString(),
      progress: progress?.state ?? null,
      since: since === null ? null : { changes: since.changes, calls: since.calls },
    })),
  }
}

function treeLines(node: CheckNode, depth = 0): readonly string[] {
  const line = `${'  '.repeat(depth)}- **${inline(node.checker)}** (${inline(node.type)}): ${node.status.replaceAll('_', ' ')}. ${inline(node.sentence)}`
  return [line, ...(node.children ?? []).flatMap((child) => treeLines(child, depth + 1))]
}

const OWNER = { agent: 'agent', operator: 'operator', config: 'config change' } as const

function unblockLines({ computed }: StopExplanation): readonly string[] {
  if (computed === null) return ['Not computed: the version or the attempt is not stored here.']
  if (computed.unblock.steps.length === 0) return ['Nothing: every check was satisfied.']
  return computed.unblock.steps.map(
    ({ text, owner, obstacle }, index) =>
      `${index + 1}. ${inline(text)} (${OWNER[owner]})${obstacle === null ? '' : `, cannot be done: ${inline(obstacle)}`}`,
  )
}

function evidenceLines({ evidence }: StopExplanation): readonly string[] {
  if (evidence === null) return ['Not captured.']
  const { plan, stopReason, output, files, deadlineAt, tokensUsed } = evidence
  return [
    `- Stop reason: ${stopReason === null ? 'not captured' : inline(stopReason)}`,
    `- Deadline: ${deadlineAt === null ? 'none set' : utcText(deadlineAt)}`,
    `- Tokens used: ${tokensUsed}`,
    `- Files: ${files === null ? 'not captured' : files.map(({ path, exists }) => `${inline(path)} ${String(exists)}`).join(', ') || 'none'}`,
    `- Output offered: ${output === null ? 'none' : plural(output.length, 'character')}`,
    `- Plan: ${plan === null ? 'none existed' : ''}`,
    ...(plan ?? []).map(
      ({ number, title, status }) =>
        `  ${number}. ${inline(title)} · ${inline(status?.replaceAll('_', ' ') ?? 'no status')}`,
    ),
  ]
}

function attemptLines({ attempts, stop }: StopExplanation): readonly string[] {
  return attempts.map(({ stop: one, progress }) => {
    const mark = one.id === stop.id ? ' ← this one' : ''
    const state = progress === null ? '' : ` · ${progress.state.replaceAll('_', ' ')}`
    return `- ${utcText(one.at)} ${one.verdict.replaceAll('_', ' ')}: ${inline(one.reason)}${state}${mark}`
  })
}

function formatStopLines(explanation: StopExplanation): readonly string[] {
  const { stop, session, config, record, computed } = explanation
  const { checks = null, message = null, told = null } = record ?? {}
  const version = config === null ? '' : `@v${config.number}`
  const rest = computed?.rest ?? null
  return [
    `# ${inline(stop.reason)}`,
    '',
    `Stop ${stop.verdict.replaceAll('_', ' ')} · ${utcText(stop.at)} · ${session.id} #${stop.seq} · ${stop.ns}/${stop.key}${version} in ${stop.environment}`,
    ...(stop.configDigest === null ? [] : ['', `Config digest ${stop.configDigest}`]),
    ...['', '## What would unblock it (computed)', '', ...unblockLines(explanation)],
    ...['', '## Checks (captured)', ''],
    ...(checks === null
      ? ['Nothing was checked, or the record is not stored.']
      : treeLines(checks)),
    ...(rest === null ? [] : ['', '## The rest (computed now)', '', ...treeLines(rest.root)]),
    ...['', '## Message the agent received (captured)', ''],
    ...(message === null ? ['None. The stop was allowed.'] : fenced(message)),
    ...(told === null
      ? []
      : [
          '',
          `Named ${told.named} of ${told.open}:`,
          ...told.items.map((item) => `- ${inline(item)}`),
        ]),
    ...['', '## Evidence (captured)', '', ...evidenceLines(explanation)],
    ...['', '## Attempts', '', ...attemptLines(explanation), ''],
  ]
}

/** Rejects with `not_found` when the project has no such stop. `now` in epoch ms. */
export async function stopReport(
  scope: ProjectScope,
  stopId: string,
  now: number,
): Promise<{ readonly json: string; readonly md: string }> {
  const explanation = await stopExplanation(scope, stopId)
  const { stop, session, record } = explanation
  const place = await findLogPlace(scope.projectId, session.id)
  const events = place === null ? [] : await capturedEvents(place, [stop.attemptedSeq, stop.seq])
  const body: ReportBody = {
    kind: 'stop',
    id: stop.id,
    path: `/stops/${stop.id}`,
    verdict: stop.verdict,
    sentence: stop.reason,
    captured: capturedJson(explanation, events),
    computed: computedJson(explanation),
    redactions: record?.redactions ?? [],
    verification: verificationText(record, session),
    annotations: await reportAnnotations(scope.projectId, session.id, [
      stop.attemptedSeq,
      stop.seq,
    ]),
  }
  const report = buildReport(body, now)
  return {
    json: report.json,
    md: [...formatStopLines(explanation), ...footerLines(body, report)].join('\n'),
  }
}
