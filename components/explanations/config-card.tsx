import { VerificationBadge } from '@/components/enforcement/verification-badge.tsx'
import { configPath, versionPath } from '@/components/paths/config-path.ts'
import { Card, CardHeader, type KeyValue, KeyValueList } from '@/components/ui/card.tsx'
import { Link } from '@/components/ui/link.tsx'
import { Timestamp } from '@/components/ui/time.tsx'
import type { ConfigInForce } from '@/server/explanations/config-in-force.sql.ts'
import type { SessionHead } from '@/server/sessions/session-head.sql.ts'
import type { PrintedRecord } from './explanation-export.tsx'

function liveText(config: ConfigInForce, environment: string): string {
  if (config.liveIn.includes(environment)) return `live in ${environment}`
  if (config.liveNumber !== null)
    return `no longer live in ${environment}; v${config.liveNumber} is`
  return config.liveIn.length > 0 ? `live in ${config.liveIn.join(', ')}` : 'not live'
}

function CompareLink({ config }: { readonly config: ConfigInForce }) {
  const { number, liveNumber } = config
  const other = liveNumber !== null && liveNumber !== number ? liveNumber : number - 1
  if (other < 1) return null
  const [from, to] = [Math.min(other, number), Math.max(other, number)]
  return (
    <span className="no-print">
      {' · '}
      <Link
        className="text-link"
        href={`${configPath(config.ns, config.key)}/versions?compare=${from},${to}`}
      >
        compare v{other}
      </Link>
    </span>
  )
}

function RecordText({ record }: { readonly record: PrintedRecord | null }) {
  if (record === null) return 'no longer stored'
  return (
    <span title={`sha256:${record.hash}`}>
      <code className="font-mono text-mono">{shortDigest(record.hash)}</code>{' '}
      {record.isIntact ? 'matches the stored event' : 'does not match the stored event'}
    </span>
  )
}

export function shortDigest(digest: string): string {
  const hex = digest.replace(/^sha256:/, '')
  return `${hex.slice(0, 4)}…${hex.slice(-2)}`
}

export function ConfigCard({
  config,
  digest,
  session,
  record,
}: {
  readonly config: ConfigInForce | null
  readonly digest: string | null
  readonly session: SessionHead
  /** Null: the record is no longer stored. */
  readonly record: PrintedRecord | null
}) {
  const { environment } = session
  const items: KeyValue[] =
    config === null
      ? [
          {
            name: 'Version',
            value: digest === null ? 'no config was in force' : 'not published here',
          },
        ]
      : [
          {
            name: 'Version',
            value: (
              <span>
                <Link className="font-mono text-link text-mono" href={versionPath(config)}>
                  v{config.number}
                </Link>{' '}
                · {liveText(config, environment)}
                <CompareLink config={config} />
              </span>
            ),
          },
          {
            name: 'Published',
            value: (
              <>
                <Timestamp at={config.publishedAt} style="second" />
                {config.author === null ? '' : ` by ${config.author}`}
              </>
            ),
          },
          {
            name: 'Changed since',
            value:
              config.newestNumber === config.number
                ? 'no'
                : `yes, v${config.newestNumber} is the newest`,
          },
        ]
  if (digest !== null) {
    items.push({
      name: 'Digest',
      value: (
        <code className="font-mono text-mono" title={digest}>
          {shortDigest(digest)}
        </code>
      ),
    })
  }
  items.push(
    { name: 'Decisions', value: <VerificationBadge facts={session} /> },
    { name: 'Record', value: <RecordText record={record} /> },
  )
  return (
    <Card>
      <CardHeader title="Config" />
      <KeyValueList className="p-3" items={items} />
    </Card>
  )
}
