import { countText, plural } from '@signalbox/core/analysis'
import { listAnnotations } from '@/server/annotations/annotation-list.sql.ts'
import type { ProjectScope } from '@/server/platform/auth/scope.ts'
import { env } from '@/server/platform/base/env.ts'
import type { SessionHead } from '@/server/sessions/session-head.sql.ts'
import { code, inline } from './markdown.ts'
import { annotationLines, utcText } from './report-parts.ts'
import { type SessionReport, sessionReport } from './session-report.ts'
import type { ReportedVerdict } from './session-report-facts.sql.ts'

function configText({ ns, key, configVersion, configDigest, taken }: SessionHead): string {
  const name = code(`${ns}/${key}${configVersion === null ? '' : `@v${configVersion}`}`)
  const digest = configDigest === null ? 'no config was in force' : `digest ${configDigest}`
  const now =
    taken === null
      ? ''
      : `; from #${taken.seq} on ${taken.version === null ? '' : `v${taken.version}, `}digest ${taken.digest}`
  return `${name}, ${digest}${now}`
}

function endText({ status, endedAt, endReason, lastEventAt }: SessionHead): string {
  if (endedAt !== null) return `${utcText(endedAt)}, ${inline(endReason ?? 'ended')}`
  return `${status === 'lost' ? 'lost' : 'still running'}, newest event ${utcText(lastEventAt)}`
}

function headLines({ session }: SessionReport): readonly string[] {
  const { environment, harness, runtimeName, startedAt, deadlineAt } = session
  const { tokensUsed, tokenLimit } = session
  const limit = tokenLimit === null ? 'no limit set' : `of ${countText(tokenLimit)}`
  return [
    `- Config: ${configText(session)}`,
    `- Environment: ${inline(environment)}`,
    `- Harness: ${inline([harness.name ?? 'unknown', harness.version].filter(Boolean).join(' '))}`,
    `- Runtime: ${runtimeName === null ? 'not named' : inline(runtimeName)}`,
    `- Started: ${utcText(startedAt)}`,
    `- Ended: ${endText(session)}`,
    `- Deadline: ${deadlineAt === null ? 'none set' : utcText(deadlineAt)}`,
    `- Tokens: ${countText(tokensUsed)}, ${limit}`,
  ]
}

function countLines({ session, counts, stops }: SessionReport): readonly string[] {
  const of = (verdict: string): number =>
    counts.find((one) => one.kind === 'call' && one.verdict === verdict)?.count ?? 0
  return [
    `- Events: ${countText(session.maxSeq)}`,
    `- Calls: ${countText(session.calls)}, of which ${countText(of('denied'))} denied, ${countText(of('error'))} denied because of an error`,
    `- Stops: ${stops}`,
    `- Feedback: ${countText(session.feedback)}, warnings among it: ${countText(session.warnings)}`,
  ]
}

const toVerdictPath = ({ kind, id }: ReportedVerdict): string =>
  kind === 'call' ? `/decisions/${id}` : `/stops/${id}`

function describeVerdict(verdict: ReportedVerdict): string {
  if (verdict.kind === 'stop') return `stop, ${verdict.via.replaceAll('_', ' ')}`
  return verdict.rule === '' ? verdict.tool : `${verdict.tool}, rule ${verdict.rule}`
}

function verdictLines(report: SessionReport): readonly string[] {
  const { verdicts, verdictTotal } = report
  if (verdicts.length === 0) return ['All requested calls and stops were allowed.']
  const { SIGNALBOX_URL } = env()
  const bound =
    verdicts.length < verdictTotal
      ? [`First ${countText(verdicts.length)} of ${countText(verdictTotal)}.`, '']
      : []
  return [
    ...bound,
    '| Event | At | Verdict | What | Reason | Config |',
    '|---|---|---|---|---|---|',
    ...verdicts.map((one) => {
      const event = `[#${one.seq}](${SIGNALBOX_URL}${toVerdictPath(one)})`
      const version = one.version === null ? '–' : `v${one.version}`
      return `| ${event} | ${utcText(one.at)} | ${one.verdict} | ${inline(describeVerdict(one))} | ${inline(one.reason)} | ${version} |`
    }),
  ]
}

function feedbackLines({ feedback, isFeedbackCut }: SessionReport): readonly string[] {
  if (feedback.length === 0) return ['No feedback, or it is no longer stored.']
  return [
    ...feedback.map(
      ({ name, severity, count, firstSeq, lastSeq }) =>
        `- ${inline(name)}, ${inline(severity)}: ${countText(count)}, first #${firstSeq}, last #${lastSeq}`,
    ),
    ...(isFeedbackCut ? [`The ${feedback.length} most frequent of more.`] : []),
  ]
}

const MOST_STEPS = 200

function planLines({ plan }: SessionReport): readonly string[] {
  if (plan === null) return ['No plan, or it is no longer stored.']
  const { seq, at, steps } = plan
  const bound =
    steps.length > MOST_STEPS ? `, first ${MOST_STEPS} of ${plural(steps.length, 'step')}` : ''
  return [
    `As of #${seq}, ${utcText(at)}${bound}:`,
    '',
    ...steps
      .slice(0, MOST_STEPS)
      .map(
        ({ title, status }, index) =>
          `${index + 1}. ${inline(title)} · ${inline(status?.replaceAll('_', ' ') ?? 'no status')}`,
      ),
  ]
}

function takenOutText({ takenOut, record }: SessionReport): string {
  if (record === null) return 'Redactions: no longer known.'
  if (takenOut.length === 0) return 'Redactions: none.'
  const told = takenOut.map(
    ({ rule, values, events }) =>
      `${plural(values, 'value')} in ${plural(events, 'event')} ${rule === null ? 'left out as too long' : `by ${code(rule)}`}`,
  )
  return `Redactions, before recording: ${told.join('; ')}.`
}

function footerLines(report: SessionReport): readonly string[] {
  const { session, generatedAt, verification } = report
  return [
    '---',
    '',
    `${env().SIGNALBOX_URL}/sessions/${session.id}/report · generated ${new Date(generatedAt).toISOString()} · times in UTC`,
    '',
    `Captured: verdicts, reasons, feedback, plan. Computed from the record: counts, the verification, enforcement shortfalls. ${takenOutText(report)}`,
    '',
    inline(verification),
    '',
  ]
}

/** Rejects with `not_found` when the project has no such session. `now` in epoch ms. */
export async function sessionMarkdown(
  scope: ProjectScope,
  sessionId: string,
  now: number,
): Promise<string> {
  const [report, annotations] = await Promise.all([
    sessionReport(scope, sessionId, now),
    listAnnotations(scope.projectId, sessionId),
  ])
  const { session } = report
  const { shortfalls } = session
  return [
    `# Session ${session.id} of ${inline(`${session.ns}/${session.key}`)}`,
    '',
    ...headLines(report),
    ...['', '## Counts (computed)', '', ...countLines(report)],
    ...(shortfalls.length === 0
      ? []
      : [
          ...['', '## Not enforced (computed)', ''],
          ...shortfalls.map(({ sentence }) => `- ${inline(sentence)}`),
        ]),
    ...['', '## Denied, blocked, bypassed, error (captured)', '', ...verdictLines(report)],
    ...['', '## Feedback (captured)', '', ...feedbackLines(report)],
    ...['', '## Plan at the end (captured)', '', ...planLines(report), ''],
    ...annotationLines(annotations),
    ...footerLines(report),
  ].join('\n')
}
