// The captured part is the stored events, byte for byte. The digest also covers the computed part (specs/explanations.md).

import { canonicalJson, computeDigest } from '@signalbox/wire'
import { type AnnotationFacts, listAnnotations } from '@/server/annotations/annotation-list.sql.ts'
import { env } from '@/server/platform/base/env.ts'
import type { AuthorizedProjectId } from '@/server/platform/ids.ts'
import { toLoggedEvent } from '@/server/sessions/log/logged-event.ts'
import { type LogPlace, readLogAt } from '@/server/sessions/log/session-log.sql.ts'
import type { SessionHead } from '@/server/sessions/session-head.sql.ts'
import { code, fenced, inline } from './markdown.ts'
import type { Redaction } from './redactions.ts'

export interface ReportBody {
  readonly kind: 'stop' | 'decision'
  readonly id: string
  /** Path in the console, without the origin. */
  readonly path: string
  readonly verdict: string
  readonly sentence: string
  readonly captured: object
  readonly computed: object
  readonly redactions: readonly Redaction[]
  readonly verification: string
  /** Annotations on its events and on the session, which are not part of the log. */
  readonly annotations: readonly AnnotationFacts[]
}

export interface Report {
  readonly json: string
  /** `sha256:` over everything except the time and address of its creation. */
  readonly digest: string
  readonly generatedAt: string
  readonly url: string
}

const SCHEMA_VERSION = 1

export function buildReport(body: ReportBody, now: number): Report {
  const content = {
    schema_version: SCHEMA_VERSION,
    zone: 'UTC',
    kind: body.kind,
    id: body.id,
    verdict: body.verdict,
    sentence: body.sentence,
    captured: body.captured,
    computed: body.computed,
    redactions: body.redactions,
    verification: body.verification,
    annotations: body.annotations.map(({ id, seq, text, author, at, editedAt }) => ({
      id,
      seq,
      text,
      author,
      at: new Date(at).toISOString(),
      edited_at: editedAt === null ? null : new Date(editedAt).toISOString(),
    })),
  }
  // Undefined and absent are equal in JSON; the round trip leaves only what JSON contains.
  const plain: unknown = JSON.parse(JSON.stringify(content))
  const digest = computeDigest(plain)
  const generatedAt = new Date(now).toISOString()
  const url = `${env().SIGNALBOX_URL}${body.path}`
  const whole = { digest, generated_at: generatedAt, url, report: plain }
  return { json: `${canonicalJson(whole)}\n`, digest, generatedAt, url }
}

export async function capturedEvents(
  place: LogPlace,
  seqs: readonly number[],
): Promise<readonly object[]> {
  const rows = await readLogAt(place, [...new Set(seqs)])
  return rows.map((row) => ({
    hash: `sha256:${row.hash}`,
    event: toLoggedEvent(place.sessionId, row),
  }))
}

interface Record {
  readonly hash: string
  readonly isIntact: boolean
}

export function verificationText(record: Record | null, session: SessionHead): string {
  const event =
    record === null
      ? 'The event is no longer stored.'
      : `Digest sha256:${record.hash} ${record.isIntact ? 'matches' : 'DOES NOT MATCH'} the stored record.`
  const { shortfalls } = session
  const enforced =
    shortfalls.length === 0
      ? ''
      : ` Not fully enforced: ${shortfalls.map(({ sentence }) => sentence).join('; ')}.`
  return `${event} ${recomputedText(session)}${enforced}`
}

export function recomputedText({
  verification,
  divergedSeq,
  contiguousSeq,
  maxSeq,
}: Pick<SessionHead, 'verification' | 'divergedSeq' | 'contiguousSeq' | 'maxSeq'>): string {
  return {
    verified: 'Every decision of the session was recomputed and agrees.',
    verified_to: `Every decision up to #${contiguousSeq} was recomputed and agrees. The ${maxSeq - contiguousSeq} events after it are not verified, because some of them are missing.`,
    diverged: `The session diverged at #${divergedSeq}.`,
    pending: 'The session was not recomputed yet.',
  }[verification]
}

/** Formats as `2026-11-20 14:03:01.400 UTC`. */
export function utcText(at: number): string {
  return `${new Date(at).toISOString().replace('T', ' ').replace('Z', '')} UTC`
}

function redactionLine(redactions: readonly Redaction[]): string {
  if (redactions.length === 0) return 'Redactions: none.'
  const named = redactions.map(({ pointer, kind }) => `${code(pointer)} ${inline(kind)}`)
  return `Redactions: ${named.join(', ')}.`
}

export async function reportAnnotations(
  projectId: AuthorizedProjectId,
  sessionId: string,
  seqs: readonly number[],
): Promise<readonly AnnotationFacts[]> {
  const all = await listAnnotations(projectId, sessionId)
  return all.filter(({ seq }) => seq === null || seqs.includes(seq))
}

export function annotationLines(annotations: readonly AnnotationFacts[]): readonly string[] {
  if (annotations.length === 0) return []
  const lines = annotations.flatMap(({ seq, text, author, at, editedAt }) => [
    `${inline(author)}, ${utcText(at)}${editedAt === null ? '' : `, changed ${utcText(editedAt)}`}, on ${seq === null ? 'the session' : `event #${seq}`}:`,
    '',
    ...fenced(text),
    '',
  ])
  return ['## Annotations (written by people, not part of the record)', '', ...lines]
}

export function footerLines(body: ReportBody, report: Report): readonly string[] {
  return [
    ...annotationLines(body.annotations),
    '---',
    '',
    `${report.url} · generated ${report.generatedAt} · times in UTC`,
    '',
    `Captured: verdict, message, checks, evidence. Computed from the record: parts marked as computed. ${redactionLine(body.redactions)}`,
    '',
    `${inline(body.verification)} Report ${report.digest}.`,
    '',
  ]
}
