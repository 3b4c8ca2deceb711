import { Link } from '@/components/ui/link.tsx'
import { StatusText } from '@/components/ui/status-badge.tsx'
import { Timestamp } from '@/components/ui/time.tsx'
import type { ListedConfig } from '@/server/configs/configs.ts'
import { listComing } from './coming-words.ts'

type Config = Pick<ListedConfig, 'ns' | 'key' | 'staged' | 'waiting' | 'plans'>

/** Lines below the title of a config's page. */
export function ComingLines({ config }: { readonly config: Config }) {
  const coming = listComing(config)
  if (coming.length === 0) return null
  return (
    <ul aria-label="On the way" className="flex flex-col gap-1">
      {coming.map(({ id, status, sentence, at, href, action }) => (
        <li key={id} className="flex flex-wrap items-center gap-x-2 text-text-2">
          <StatusText status={status}>
            {sentence}
            {at !== undefined && (
              <>
                {' '}
                <Timestamp at={at} style="second" />
              </>
            )}
          </StatusText>
          <Link href={href} className="text-link hover:underline">
            {action}
          </Link>
        </li>
      ))}
    </ul>
  )
}

/** One line for a row of the list. */
export function ComingText({ config }: { readonly config: Config }) {
  const [first, ...others] = listComing(config)
  if (first === undefined) return null
  const all = [first, ...others].map(({ brief }) => brief).join(', ')
  return (
    <span
      title={all}
      className="flex min-w-0 basis-full items-center gap-1 overflow-hidden whitespace-nowrap text-small text-text-2"
    >
      <StatusText status={first.status}>{first.brief}</StatusText>
      {others.length > 0 && <span className="shrink-0">and {others.length} more</span>}
    </span>
  )
}
