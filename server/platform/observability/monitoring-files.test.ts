// Alert rules and dashboard refer to metrics by name; a name that nothing reports would never raise an alert.
import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { metrics } from './metrics.mjs'

const FILES = [
  'deploy/monitoring/alerts.yaml',
  'deploy/monitoring/grafana-dashboard.json',
  'docs/operations/monitor.md',
]

test.each(FILES)('every metric that %s names is reported', (file) => {
  const named = readFileSync(file, 'utf8').match(/\bsignalbox_[a-z_]+/g) ?? []
  const { registry, installation } = metrics
  const known = [registry, installation].flatMap((one) =>
    one.getMetricsAsArray().map(({ name }) => name),
  )
  const unknown = named.filter((name) => !known.includes(name.replace(/_(bucket|count|sum)$/, '')))
  expect(named.length).toBeGreaterThanOrEqual(10)
  expect(unknown).toEqual([])
})
