'use client'

import { countText, plural, shareText } from '@signalbox/core/analysis'
import { ChevronDown, ChevronRight } from 'lucide-react'
import { Fragment } from 'react'
import { CreateAlertButton } from '@/components/alerts/create-alert-button.tsx'
import { draftFromStop } from '@/components/alerts/rule-draft.ts'
import { Sparkline } from '@/components/kit/chart/sparkline.tsx'
import { MarkIcon, markAction } from '@/components/kit/list/marked-foot.tsx'
import { type Peeking, peekAction } from '@/components/kit/list/peek-action.ts'
import { RowMenu } from '@/components/kit/list/row-menu.tsx'
import type { Marks } from '@/components/kit/list/use-marks.ts'
import { IconButton } from '@/components/ui/button.tsx'
import { Link } from '@/components/ui/link.tsx'
import { StatusText } from '@/components/ui/status-badge.tsx'
import { ActionsHead, Cell, HeadCell, Row, Table } from '@/components/ui/table.tsx'
import { Ago } from '@/components/ui/time.tsx'
import type { ShownGroup } from '@/server/explanations/stop-groups.ts'
import type { StopFilter } from '@/server/explanations/stop-list.sql.ts'
import { stopHeadline } from '../stop-headline.ts'
import { nameGroup } from './name-group.ts'
import { StopsWithin } from './stop-rows.tsx'
import type { StopView } from './use-stop-view.ts'

function describeGroup({ verdict, code, ns, key }: ShownGroup): string {
  return ns === null ? `${verdict} ${code}` : `${verdict} ${code} ${ns}/${key}`
}

export interface StopGroupsProps extends Pick<StopView, 'view' | 'show' | 'filter'> {
  readonly groups: readonly ShownGroup[]
  readonly marks: Marks
  readonly peek: Peeking
}

export function StopGroups({ groups, view, show, filter, marks, peek }: StopGroupsProps) {
  const byConfig = view.by === 'config'
  return (
    <Table>
      <thead>
        <tr>
          <HeadCell className="w-9">
            <span className="sr-only">Open</span>
          </HeadCell>
          <HeadCell className="max-sm:hidden">Verdict</HeadCell>
          {byConfig ? <HeadCell className="max-sm:hidden">Config</HeadCell> : null}
          <HeadCell>Reason</HeadCell>
          <HeadCell className="text-right max-sm:hidden">Stops</HeadCell>
          <HeadCell className="text-right max-sm:hidden">Sessions</HeadCell>
          <HeadCell className="text-right max-sm:hidden">Allowed later</HeadCell>
          <HeadCell className="max-sm:hidden">Over time</HeadCell>
          <HeadCell className="max-sm:hidden">First seen</HeadCell>
          <HeadCell className="max-sm:hidden">Last seen</HeadCell>
          <ActionsHead />
        </tr>
      </thead>
      <tbody>
        {groups.map((group) => {
          const name = describeGroup(group)
          const isOpen = view.open === name
          return (
            <Fragment key={name}>
              <GroupRow
                group={group}
                isOpen={isOpen}
                byConfig={byConfig}
                marks={marks}
                peek={peek}
                onToggle={() => void show({ open: isOpen ? null : name })}
              />
              {isOpen ? (
                <tr>
                  <td colSpan={byConfig ? 11 : 10} className="border-border border-b bg-bg p-0">
                    <GroupAlert group={group} environment={filter.environment} />
                    <StopsWithin filter={within(filter, group)} marks={marks} peek={peek} />
                  </td>
                </tr>
              ) : null}
            </Fragment>
          )
        })}
      </tbody>
    </Table>
  )
}

function GroupAlert({
  group,
  environment,
}: {
  readonly group: ShownGroup
  readonly environment: string | undefined
}) {
  const start = draftFromStop(group, environment)
  if (start === null) return null
  return (
    <div className="px-3 pt-2">
      <CreateAlertButton start={start} />
    </div>
  )
}

function within(filter: StopFilter, { verdict, code, ns, key }: ShownGroup): StopFilter {
  const prompt = ns === null || key === null ? {} : { prompt: { ns, key } }
  return { ...filter, verdict, code, ...prompt }
}

interface GroupRowProps {
  readonly group: ShownGroup
  readonly isOpen: boolean
  readonly byConfig: boolean
  readonly marks: Marks
  readonly peek: Peeking
  readonly onToggle: () => void
}

const STANDING = {
  gone: 'not seen since',
  back: 'back in',
  new: 'new in',
} as const

function Standing({ standing }: { readonly standing: ShownGroup['standing'] }) {
  if (standing === null) return null
  const { kind, since, attempts } = standing
  const proof =
    kind === 'gone'
      ? `${attempts} stop attempts under v${since} and later, none with this reason`
      : `${attempts} stop attempts before v${since} without this reason`
  return (
    <span title={proof} className="ml-2 whitespace-nowrap text-small text-text-2">
      {STANDING[kind]} v{since}
    </span>
  )
}

function GroupRow({ group, isOpen, byConfig, marks, peek, onToggle }: GroupRowProps) {
  const { status, word } = stopHeadline(group)
  const isRefused = group.verdict === 'blocked' || group.verdict === 'error'
  const Chevron = isOpen ? ChevronDown : ChevronRight
  return (
    <Row className="focus-within:bg-row-selected">
      <Cell className="px-1">
        <IconButton
          label={`${isOpen ? 'Close' : 'Open'} the group ${group.code}`}
          aria-expanded={isOpen}
          onClick={onToggle}
        >
          <Chevron size={16} aria-hidden />
        </IconButton>
      </Cell>
      <Cell className="max-sm:hidden">
        <StatusText status={status}>{word}</StatusText>
      </Cell>
      {byConfig ? (
        <Cell className="max-sm:hidden">
          {group.ns}/{group.key}
        </Cell>
      ) : null}
      <Cell
        className="max-w-sm whitespace-normal break-words"
        title={`Newest: ${group.reason} (${group.code})`}
      >
        <MarkIcon marks={marks} id={group.newestId} />
        <Link
          data-row={group.newestId}
          className="font-medium text-link"
          href={`/stops/${group.newestId}`}
        >
          {nameGroup(group)}
        </Link>{' '}
        <code className="font-mono text-mono text-text-3 max-sm:hidden">{group.code}</code>
        {byConfig || group.configs === 1 ? null : (
          <span className="ml-1 text-small text-text-2"> {plural(group.configs, 'config')}</span>
        )}
        <Standing standing={group.standing} />
        <p className="text-small text-text-2 sm:hidden">
          <StatusText status={status}>{word}</StatusText> · {countText(group.stops)} in{' '}
          {plural(group.sessions, 'session')}
          {isRefused
            ? ` · ${shareText(group.allowedLater, group.sessions)} of them allowed later`
            : ''}{' '}
          · <Ago at={group.lastAt} />
        </p>
      </Cell>
      <Cell className="text-right tabular-nums max-sm:hidden">{countText(group.stops)}</Cell>
      <Cell className="text-right tabular-nums max-sm:hidden">{countText(group.sessions)}</Cell>
      <Cell className="text-right tabular-nums max-sm:hidden">
        {isRefused
          ? `${countText(group.allowedLater)} of ${countText(group.sessions)} (${shareText(group.allowedLater, group.sessions)})`
          : '–'}
      </Cell>
      <Cell className="max-sm:hidden">
        <Sparkline
          limit={null}
          values={group.spark}
          label={`${plural(group.stops, 'stop')} over the range`}
        />
      </Cell>
      <Cell className="max-sm:hidden">
        <Ago at={group.firstAt} />
      </Cell>
      <Cell className="max-sm:hidden">
        <Ago at={group.lastAt} />
      </Cell>
      <Cell className="px-1">
        <RowMenu
          label={`Actions for the group ${group.code}`}
          items={[
            { name: 'Open the newest', href: `/stops/${group.newestId}` },
            peekAction(peek, group.newestId),
            { name: isOpen ? 'Close the group' : 'Show its stops', onSelect: onToggle },
            markAction(marks, group.newestId),
          ]}
        />
      </Cell>
    </Row>
  )
}
