{#
relation = "people"
grain = "one row per generated person"
key = ["id"]
inputs = []
params = ["rows"]
columns = ["id", "sex", "age", "relationship", "marital_status", "race", "education", "hours_per_week", "occupation", "salary", "sex_private", "age_private", "occupation_private"]
paper = "Table 1: the nine attributes and their sizes"
why = "The first run, the tests and the benchmarks need a census-like table that nobody has to download. A person depends on the id alone, so a smaller table is the beginning of every larger one."
#}
-- Exact domain sizes: of each 43 people one walks round-robin through the 73 ages, one through the 257 jobs, one
-- through the 93 hours and one through the 719 salaries; 31,055 ids make 722 laps. The small domains hold no value
-- rarer than 1 in 1,000, and no formula leaves its domain. Only + - * / sqrt floor: they round alike on every machine.
WITH draws AS (  -- independent numbers in [0, 1); hash(id, 1) and hash(id, 2) would differ by one fixed xor only
    SELECT id, id // 43 AS lap, id % 43 AS place, hash(16 * id) AS u_flags,
        hash(16 * id + 1) % 1000000 / 1e6 AS u_sex, hash(16 * id + 2) % 1000000 / 1e6 AS u_age,
        hash(16 * id + 3) % 1000000 / 1e6 AS u_race, hash(16 * id + 4) % 1000000 / 1e6 AS u_edu,
        hash(16 * id + 5) % 1000000 / 1e6 AS u_single, hash(16 * id + 6) % 1000000 / 1e6 AS u_wed,
        hash(16 * id + 7) % 1000000 / 1e6 AS u_home, hash(16 * id + 8) % 1000000 / 1e6 AS u_sector,
        hash(16 * id + 9) % 1000000 / 1e6 AS u_role, hash(16 * id + 10) % 1000000 / 1e6 AS u_grade,
        hash(16 * id + 11) % 1000000 / 1e6 AS u_week, hash(16 * id + 12) % 1000000 / 1e6 AS u_hours,
        hash(16 * id + 13) % 1000000 / 1e6 AS u_luck, hash(16 * id + 14) % 1000000 / 1e6 AS u_heap
    FROM range(1, {{ rows }} + 1) AS ids(id)
), born AS (  -- 73 ages, 16 to 88: few below 20, level to 62, then a thinning tail
    SELECT *, u_sex < 0.517 AS male, (u_age - 0.855) / 0.145 AS late,
        CASE WHEN place = 0 THEN 16 + lap % 73 WHEN u_age < 0.055 THEN 16 + floor(4 * u_age / 0.055)
            WHEN u_age < 0.855 THEN 20 + floor(43 * (u_age - 0.055) / 0.8)
            ELSE 63 + floor(26 * late * (0.3 + 0.7 * late * late)) END::SMALLINT AS age
    FROM draws
), grown AS (  -- age caps schooling; with age fewer have never married and more are divorced or widowed
    SELECT *, (age - 16) / 14.0 AS adult, (age - 16) * (age - 16) / 1e4 AS old,
        old * old * CASE WHEN male THEN 0.5 ELSE 1.5 END AS widowed,
        widowed + least(0.2, 0.0045 * age - 0.07) AS parted,  -- widowed or divorced
        CASE WHEN u_single * (1 + adult * adult) < 1 THEN 'Never married' WHEN u_wed < widowed THEN 'Widowed'
            WHEN u_wed < parted THEN 'Divorced' WHEN u_wed < parted + 0.02 THEN 'Separated'
            WHEN u_wed < parted + 0.05 THEN 'Married, apart' ELSE 'Married, together' END AS marital_status,
        least(CASE WHEN age < 22 THEN age - 11 WHEN age < 25 THEN 10 ELSE 11 END,
            CASE WHEN u_edu < 0.048 THEN 1 + floor(u_edu / 0.008) WHEN u_edu < 0.365 THEN 7 WHEN u_edu < 0.485 THEN 8
                WHEN u_edu < 0.585 THEN 9 WHEN u_edu < 0.825 THEN 10 ELSE 11 END)::INTEGER AS school
    FROM born
), employed AS (  -- sectors run from mostly women to mostly men and each sex draws from its own end
    SELECT *, floor(16 * u_sector * u_sector) AS far, floor(50 * u_hours - 29) AS odd, (u_hours - 0.78) / 0.22 AS rare,
        CASE WHEN place = 1 THEN lap % 257 WHEN u_sector > 0.996 THEN 256  -- 16 sectors x 4 roles x 4 grades, and one
            ELSE 16 * CASE WHEN male THEN 15 - far ELSE far END
                + 4 * greatest(0, least(3, floor(0.4 * (school - 6) + 2 * u_role)))
                + greatest(0, least(3, floor(age / 18.0 - 1 + 1.5 * u_grade))) END::INTEGER AS job,
        CASE WHEN place = 2 THEN 1 + lap % 93  -- 1 to 93; the young and the old work part-time more often
            WHEN u_week < CASE WHEN age < 22 THEN 0.3 WHEN age > 66 THEN 0.5 WHEN male THEN 0.9 ELSE 0.8 END
            THEN CASE WHEN odd < 0 THEN 40 WHEN odd < 10 THEN [45, 50, 60, 50, 45, 55, 50, 45, 60, 50][odd::INTEGER + 1]
                ELSE 30 + floor(64 * rare * rare * rare) END
            WHEN u_hours < 0.6 THEN 10 + 5 * floor(10 * u_hours)
            ELSE 1 + floor(85 * (u_hours - 0.6)) END::SMALLINT AS hours_per_week
    FROM grown
), paid AS (  -- luck is log-logistic: a long upper tail; most people name a round sum
    SELECT *, sqrt(sqrt((u_luck + 1e-6) / (1 - u_luck))) AS luck,
        luck * 450 * hours_per_week * (1 + 0.6 * (job // 4 % 4)) * (1 + 0.25 * (job % 4)) * (0.6 + 0.05 * school)
            * [1.3, 0.7, 1, 0.9, 0.8, 0.8, 0.7, 1.2, 1, 1, 1.2, 1.6, 1, 1.1, 0.9, 1.1, 3][job // 16 + 1]
            * CASE WHEN male THEN 1.15 ELSE 1 END * least(1, (age - 8) / 20.0) AS pay,
        CASE WHEN pay < 6e4 THEN 250 WHEN pay < 15e4 THEN 500 WHEN pay < 35e4 THEN 1000 ELSE 5000 END AS finest,
        greatest(finest, CASE WHEN u_heap > 0.85 THEN 250 WHEN u_heap > 0.45 OR pay < 2e4 THEN 1000
            WHEN pay < 1e5 THEN 5000 ELSE 10000 END) AS unit, lap % 719 AS rung
    FROM employed
)
SELECT id, CASE WHEN male THEN 'Male' ELSE 'Female' END AS sex, age,
    CASE WHEN u_home < 0.01 THEN 'Sibling' WHEN u_home < 0.02 THEN 'Relative'  -- no label tells the sex some hide
        WHEN u_home < 0.03 THEN CASE WHEN age < 45 THEN 'Grandchild' ELSE 'Parent' END
        WHEN u_home < 0.04 THEN CASE WHEN age < 45 THEN 'Child-in-law' ELSE 'Parent-in-law' END
        WHEN marital_status = 'Married, together' THEN CASE WHEN u_home < 0.54 THEN 'Householder' ELSE 'Spouse' END
        WHEN age < 26 THEN CASE WHEN u_home < 0.6 THEN 'Child' WHEN u_home < 0.74 THEN 'Group quarters'
            WHEN u_home < 0.86 THEN 'Roommate' WHEN u_home < 0.93 THEN 'Partner' ELSE 'Lives alone' END
        WHEN u_home < 0.34 THEN 'Lives alone' WHEN u_home < 0.64 THEN 'Householder' WHEN u_home < 0.76 THEN 'Partner'
        WHEN u_home < 0.98 - 0.003 * age THEN 'Child' WHEN u_home < 0.98 THEN 'Roommate' ELSE 'Group quarters'
        END AS relationship, marital_status,
    CASE WHEN u_race < 0.724 THEN 'White' WHEN u_race < 0.812 THEN 'Two or more' WHEN u_race < 0.895 THEN 'Black'
        WHEN u_race < 0.945 THEN 'Asian' WHEN u_race < 0.985 THEN 'Other' WHEN u_race < 0.994 THEN 'American Indian'
        WHEN u_race < 0.997 THEN 'Pacific Islander' WHEN u_race < 0.9985 THEN 'Alaska Native' ELSE 'Unknown'
        END AS race,
    ['No schooling', 'Grades 1 to 4', 'Grades 5 to 8', 'Grade 9', 'Grade 10', 'Grade 11', 'High school', 'Some college',
        'Associate degree', 'Bachelor degree', 'Graduate degree'][school] AS education, hours_per_week,
    CASE WHEN job = 256 THEN 'Member of the armed forces' ELSE ['Trainee ', 'Junior ', 'Senior ', 'Lead '][job % 4 + 1]
        || ['hospital', 'childcare', 'school', 'office', 'social care', 'retail', 'hotel', 'bank', 'government',
            'media', 'laboratory', 'software', 'factory', 'repair', 'transport', 'construction'][job // 16 + 1]
        || [' assistant', ' technician', ' specialist', ' manager'][job // 4 % 4 + 1] END AS occupation,
    CASE WHEN place <> 3 THEN greatest(250, least(845000, unit * floor(pay / unit + 0.5)))  -- 240 + 180 + 200 + 99
        WHEN rung < 240 THEN 250 * (rung + 1) WHEN rung < 420 THEN 60000 + 500 * (rung - 239)
        WHEN rung < 620 THEN 150000 + 1000 * (rung - 419) ELSE 350000 + 5000 * (rung - 619) END::INTEGER AS salary,
    u_flags % 1000 < 160 + age AS sex_private,  -- no flag depends on the value that it hides
    u_flags // 1000 % 1000 < CASE WHEN male THEN 180 ELSE 220 END AS age_private,
    u_flags // 1000000 % 1000 < 160 + age AS occupation_private
FROM paid
