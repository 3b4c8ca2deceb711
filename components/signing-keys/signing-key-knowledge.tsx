'use client'
import type { ReactNode } from 'react'
import { Card, CardHeader } from '@/components/ui/card.tsx'
import { CopyButton } from '@/components/ui/copy.tsx'
import { Cell, HeadCell, Row, Table } from '@/components/ui/table.tsx'
import {
  countRuntimes,
  knowledgeText,
  outlook,
  type SigningKeys,
  type Unaware,
} from './signing-key-words.ts'

export function KeyKnowledgeCard({
  data,
  facts,
  actions,
}: {
  readonly data: SigningKeys
  readonly facts: ReactNode
  readonly actions: ReactNode
}) {
  return (
    <Card>
      <CardHeader
        title="Prepared key"
        aside="signs nothing yet"
        actions={<div className="flex gap-2">{actions}</div>}
      />
      {facts}
      <p role="status" className="border-border border-t px-3 py-2 font-medium">
        {knowledgeText(countRuntimes(data))}
      </p>
      <Table isStacked>
        <thead>
          <tr>
            <HeadCell>Environment</HeadCell>
            <HeadCell>Have it</HeadCell>
            <HeadCell>Too old to follow</HeadCell>
            <HeadCell>Disconnected without it</HeadCell>
          </tr>
        </thead>
        <tbody>
          {data.environments.map(({ environment, total, knows, silent, away }) => (
            <Row key={environment}>
              <Cell className="font-medium">{environment}</Cell>
              <Cell label="Have it">{total === 0 ? 'none connected' : `${knows} of ${total}`}</Cell>
              <Cell label="Too old to follow" className={silent > 0 ? 'text-deny-fg' : undefined}>
                {silent}
              </Cell>
              <Cell label="Disconnected without it">{away}</Cell>
            </Row>
          ))}
        </tbody>
      </Table>
      {data.unaware.length > 0 && (
        <div className="border-border border-t px-3 py-2">
          <UnawareList unaware={data.unaware} say={outlook} />
        </div>
      )}
    </Card>
  )
}

export function UnawareList({
  unaware,
  say,
}: {
  readonly unaware: readonly Unaware[]
  readonly say: (one: Unaware) => string
}) {
  return (
    <ul className="flex flex-col gap-1">
      {unaware.map((one) => (
        <li key={one.id} className="min-w-0 break-words">
          <span className="font-medium">{one.name}</span>
          <span className="text-text-2">
            {' '}
            in {one.environment}. {say(one)}
          </span>
        </li>
      ))}
    </ul>
  )
}

/** Renders nothing if every connected runtime trusts the active key. */
export function StrandedCard({
  data,
  publicKey,
}: {
  readonly data: SigningKeys
  readonly publicKey: string
}) {
  const { total, knows, away } = countRuntimes(data)
  if (total === knows && away === 0) return null
  const line = `SIGNALBOX_PUBLIC_KEY=${publicKey}`
  return (
    <Card>
      <CardHeader
        title="Runtimes that do not trust this key"
        aside={`${total - knows} connected${away === 0 ? '' : `, ${away} not connected`}`}
      />
      <div className="flex flex-col gap-3 px-3 py-3">
        <p className="max-w-[55rem] text-text-2">
          They keep their config and refuse new ones. Runtimes that support key rotation switch
          within seconds. For any other, set this variable where it runs, then restart it or the
          daemon:
        </p>
        <p className="flex items-center gap-1 rounded-control border border-border bg-surface-2 p-2">
          <code className="min-w-0 flex-1 break-all">{line}</code>
          <CopyButton text={line} label="Copy the variable" />
        </p>
        <UnawareList
          unaware={data.unaware}
          say={({ isSilent, sdkVersion }) =>
            isSilent ? `Version ${sdkVersion} does not report which key it trusts.` : ''
          }
        />
      </div>
    </Card>
  )
}
