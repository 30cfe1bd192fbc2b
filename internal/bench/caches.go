package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"sync"
	"time"

	"penstock/internal/authz"
	"penstock/internal/bench/load"
	"penstock/internal/db"
	"penstock/internal/domain"
	"penstock/internal/policy"
)

// policyRules are how many rules the policies have that caches are measured with.
var policyRules = []int{1, 100}

// measureCaches measures a job that looks into a cache registry with many entries: by the exact key, by a part of it, and for what is not there.
func measureCaches(ctx context.Context, engine string, entries int) error {
	d, cleanup, err := open(ctx, engine)
	if err != nil || d == nil {
		return err
	}
	defer cleanup()
	in, stop, err := newInstallation(ctx, d, nil)
	if err != nil {
		return err
	}
	defer stop()
	registry, err := defaultRegistry(ctx, d)
	if err != nil {
		return err
	}
	if err := seedCacheEntries(ctx, d, registry, entries); err != nil {
		return err
	}
	if err := in.createBuild(ctx, singlePipeline); err != nil {
		return err
	}
	_, err = in.withAgents(ctx, 1, func(_ int, a *agent) error {
		job, err := a.ping()
		if err == nil {
			err = a.startJob(job)
		}
		for _, rules := range policyRules {
			if err == nil {
				err = in.measureCacheCalls(ctx, a.jobToken, registry, entries, rules)
			}
		}
		return errors.Join(err, a.finishJob(job))
	})
	return err
}

// measureCacheCalls measures a job's calls under a policy with so many rules, of which the last ones decide.
func (in *installation) measureCacheCalls(ctx context.Context, token string, registry domain.CacheRegistryID, entries, rules int) error {
	err := in.db.Write(ctx, func(tx *db.Tx) error {
		_, err := tx.Exec(`UPDATE cache_registries SET policy = $2 WHERE id = $1`, registry, cachePolicy(rules))
		return err
	})
	if err != nil {
		return err
	}
	defer in.storeCacheUses(ctx)()
	c := comparison{in.db, in.address, entries}
	request := func(call string, address func(n int64) domain.CacheAddress) func(int64) string {
		return func(n int64) string {
			body, err := json.Marshal(address(n * 7919 % int64(entries)))
			if err != nil {
				panic(err)
			}
			return agentWire(http.MethodPost, "/v3/cache_registries/~/"+call, token, string(body))
		}
	}
	other := func(n int64) domain.CacheAddress {
		a := cacheAddress(n)
		a.Key[len(a.Key)-1].Value = "another"
		return a
	}
	missing := func(n int64) domain.CacheAddress {
		a := cacheAddress(n)
		a.Key[1].Value = "windows"
		return a
	}
	for _, l := range []struct {
		name string
		load load.Load
	}{
		{"peek", load.Load{Request: request("peek", cacheAddress), Status: 200}},
		{"retrieve", load.Load{Request: request("retrieve", cacheAddress), Status: 200}},
		{"retrieve by a part", load.Load{Request: request("retrieve", other), Status: 200}},
		{"retrieve in vain", load.Load{Request: request("retrieve", missing), Status: 404}},
	} {
		if !strings.Contains(l.name, *only) {
			continue
		}
		if err := c.run(ctx, fmt.Sprintf("%s, %d rules", l.name, rules), l.load); err != nil {
			return err
		}
	}
	return nil
}

// storeCacheUses stores what happened in registries, as a server does, until it is stopped.
func (in *installation) storeCacheUses(ctx context.Context) (stop func()) {
	ctx, cancel := context.WithCancel(ctx)
	var running sync.WaitGroup
	running.Go(func() {
		for tick := time.NewTicker(time.Second); ; {
			select {
			case <-ctx.Done():
				tick.Stop()
				return
			case <-tick.C:
				_ = in.caches.StoreCacheUses(ctx, authz.OperatorActor()) // once more a second later
			}
		}
	})
	return func() {
		cancel()
		running.Wait()
	}
}

// cachePolicy returns a policy that falls back to main. All rules but the last have a condition that is false.
func cachePolicy(rules int) string {
	var list strings.Builder
	for i := range rules - 1 {
		fmt.Fprintf(&list, `{"effect":"deny","action":["save","restore"],"when":"claims.build_branch.startsWith(\"gone-%d/\")"},`, i)
	}
	parsed, faults := policy.Parse([]byte(`{"save":{"scopes":{"branch":true}},"restore":{"scopes":[{"branch":"$current"},{"branch":"develop"}]},"rules":[` + list.String() +
		`{"effect":"allow","action":["save","restore"]}]}`))
	if faults != nil {
		panic(faults.String())
	}
	return string(parsed.Normal())
}

// cacheAddress is the address of an entry by its number. A thousand entries have the first three parts of their keys in common.
func cacheAddress(n int64) domain.CacheAddress {
	return domain.CacheAddress{TargetPaths: []string{"node_modules"}, Key: []domain.CacheKeyPart{{Value: "node", Mandatory: true}, {Value: "linux", Mandatory: true},
		{Value: fmt.Sprint("team-", n/1000)}, {Value: fmt.Sprintf("%064x", n)}}}
}

func defaultRegistry(ctx context.Context, d *db.DB) (id domain.CacheRegistryID, err error) {
	err = d.Read(ctx, func(tx *db.Tx) error {
		_, err := tx.One(`SELECT default_cache_registry_id FROM clusters ORDER BY id LIMIT 1`, func(r *db.Row) { id = domain.CacheRegistryID(r.Text()) })
		return err
	})
	return id, err
}

// seedCacheEntries stores entries of the branch that the benchmark's build is of.
func seedCacheEntries(ctx context.Context, d *db.DB, registry domain.CacheRegistryID, entries int) error {
	const batch = 2_000
	blobs := `[{"digest":{"algorithm":"sha256","value":"` + strings.Repeat("0a", 32) + `"},"file_size":1000000,"compression":"zip"}]`
	now := time.Now()
	for start := 0; start < entries; start += batch {
		err := d.Write(ctx, func(tx *db.Tx) error {
			for n := start; n < min(start+batch, entries); n++ {
				a := cacheAddress(int64(n))
				hashes := a.Hashes(domain.CacheEntrySetID(registry), policy.Entry{Branch: "main"})
				key, err := json.Marshal(a.Key)
				if err != nil {
					return err
				}
				id, at := domain.NewID[string](), now.Add(-time.Duration(entries-n)*time.Microsecond)
				if _, err := tx.Exec(`INSERT INTO cache_entries (id, set_id, hash, scope_pipeline, scope_branch, scope_build, target_paths, cache_key, blobs, platform, size, job_id,
					created_at, restores, expires_at) VALUES ($1, $2, $3, '', 'main', '', '["node_modules"]', $4, $5, 'linux/amd64', 1000000, '', $6, 0, $7)`,
					id, registry, string(hashes.Exact), string(key), blobs, db.Micros(at), db.Micros(now.Add(domain.CacheLifetime))); err != nil {
					return err
				}
				for _, prefix := range hashes.Prefixes {
					if _, err := tx.Exec(`INSERT INTO cache_entry_prefixes (hash, created_at, entry_id) VALUES ($1, $2, $3)`, string(prefix), db.Micros(at), id); err != nil {
						return err
					}
				}
			}
			return nil
		})
		if err != nil {
			return err
		}
	}
	return nil
}
